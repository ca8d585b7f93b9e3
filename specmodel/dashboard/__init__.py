"""The only part of the package that knows Streamlit: frame, controls, page parts, links and downloads."""
