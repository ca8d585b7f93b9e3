"""Data in, plotly figure out: every function returns a figure as one plain dict {"data": …, "layout": …}.

Texts come through `translate`, colours and layout from `style`; nothing here knows Streamlit.
"""
