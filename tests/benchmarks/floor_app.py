"""The least that Streamlit can do: one slider and one line of text. The floor that the app is measured against."""

import streamlit as st

if __name__ == "__main__":
    st.markdown(f"value {st.slider('Floor', 0, 100, 50)}")
