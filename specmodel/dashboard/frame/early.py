"""What a page will need is fetched at once: else the scripts of our elements wait for the page's first run.

Streamlit's page loads its scripts, opens a websocket, runs the page, mounts the elements, and only then are their
scripts asked for, and plotly's by them. A `Link` header on the page's HTML tells the browser of all of them first.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specmodel.dashboard.parts.assets import early_scripts


class EarlyScripts:
    """ASGI middleware that adds a `Link` header to every HTML page of the app."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.links = ", ".join(early_scripts())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; add the header when a page starts."""

        async def send_with_links(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", self.links)
            await send(message)

        await self.app(scope, receive, send_with_links if scope["type"] == "http" else send)
