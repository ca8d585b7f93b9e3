"""The ASGI app: the frame script, response headers, and the routes for the browser's own scripts.

Start it with `streamlit run app.py`.
"""

import gc
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from specmodel.dashboard.headers import SecurityHeaders
from specmodel.dashboard.plotly_js import plotly_route
from specmodel.dashboard.warm import warm

app = st.App(
    str(Path(__file__).parent / "specmodel" / "dashboard" / "frame.py"),
    routes=[plotly_route()],
    middleware=[Middleware(SecurityHeaders)],
)
warm()
gc.collect()
gc.freeze()
