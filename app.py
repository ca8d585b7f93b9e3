"""The ASGI app: the frame script, response headers, and the routes: the browser's own scripts, the api.

Start it with `streamlit run app.py`.
"""

import gc
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from specmodel.dashboard.frame.api import api_routes
from specmodel.dashboard.frame.early import EarlyScripts
from specmodel.dashboard.frame.first_page import first_page_route
from specmodel.dashboard.frame.headers import SecurityHeaders
from specmodel.dashboard.frame.live_route import live_route
from specmodel.dashboard.frame.preload import warm
from specmodel.dashboard.parts.assets import plotly_route

app = st.App(
    str(Path(__file__).parent / "specmodel" / "dashboard" / "frame" / "frame.py"),
    routes=[plotly_route(), live_route(), first_page_route(), *api_routes()],
    middleware=[Middleware(SecurityHeaders), Middleware(EarlyScripts)],
)
warm()
gc.collect()
gc.freeze()
