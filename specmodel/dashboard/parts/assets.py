"""Serve the browser's scripts from this app: plotly.js out of the installed plotly package, and our own elements.

A Components-v2 element repeats its inline JavaScript and CSS in every message of every rerun. That is tens of kB
per step of a drag, so the elements are served once from here, cached by the browser for ever under an address that
holds their content's hash, and the message carries a stub that imports them.
"""

import gzip
import hashlib
import json
import os
import re
import zlib
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit.components.v2.types import ComponentRenderer

FRONTEND = Path(__file__).parents[1] / "frontend"
FOLDER = "specmodel-assets"
PLOTLY_URL = f"{FOLDER}/plotly-{version('plotly')}.min.js"
"""Where plotly.js is served, relative to the root of the app (so that a base path in front of it does not matter)."""

FOREVER = "public, max-age=31536000, immutable"
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}
ROUTED_BY = "SPECMODEL_ASSETS_ROUTED_BY"

STUB = """
// Imports the element from this app's own route; see specmodel/dashboard/parts/assets.py.
const streamlit = document.querySelector('script[src*="static/js/"]')?.src;
const root = streamlit ? new URL("../../", streamlit) : document.baseURI;
const at = (path) => new URL(path, root).href;
const sheetFrom = async (path) => new CSSStyleSheet().replace(await (await fetch(at(path))).text());
const [{ default: mount }, ...sheets] = await Promise.all([import(at(JS_URL)), ...CSS_URLS.map(sheetFrom)]);
export default (component) => {
  const scope = component.parentElement.getRootNode();
  const missing = sheets.filter((sheet) => !scope.adoptedStyleSheets.includes(sheet));
  if (missing.length) scope.adoptedStyleSheets = [...scope.adoptedStyleSheets, ...missing];
  return mount(component);
};
"""
IMPORT = re.compile(r'^import .* from "\./(\w+\.js)";\n', re.MULTILINE)


def plotly_route() -> Route:
    """The route to give to `st.App(..., routes=[plotly_route()])`; it also serves the scripts of our elements."""
    os.environ[ROUTED_BY] = str(os.getpid())
    return Route(under_base(f"{FOLDER}/{{name:path}}"), _serve, methods=["GET"])


def early_scripts() -> list[str]:
    """Values for a `Link` header: plotly's script, and those of our elements with what they import.

    >>> early_scripts()[0].startswith("</specmodel-assets/plotly-")
    True
    """
    modules = [f"<{under_base(_url(path.name))}>; rel=modulepreload" for path in _scripts() if path.suffix == ".js"]
    return [f"<{under_base(PLOTLY_URL)}>; rel=preload; as=script", *modules]


def under_base(path: str) -> str:
    """A path of this app as the server sees it, behind the base path that the deployer configured.

    >>> under_base("speedup")
    '/speedup'
    """
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/{path}" if base else f"/{path}"


def routed() -> bool:
    """Whether this process serves the route: not so in a test without a server, or when frame.py is run bare.

    The mark is the process id in the environment: it outlives a hot reload of this module and is not inherited.
    """
    return os.environ.get(ROUTED_BY) == str(os.getpid())


def wanted(container: Any) -> bool:
    """Whether the contents of an expander or popover are needed: while it is open.

    A test needs them always: AppTest cannot open a container.
    """
    return bool(container.open) or not routed()


@lru_cache
def element(name: str, html: str, isolate_styles: bool, styles: tuple[str, ...] = ()) -> ComponentRenderer:
    """Register frontend/`name`.js and .css as a Components-v2 element, once, on its first use.

    `styles` names further .css files. Not at import: whether the route exists is known only after app.py has asked for
    it. Without the route the element is sent inline, which is larger but needs nothing else.
    """
    sheets = [f"{each}.css" for each in (*styles, name)]
    registered = f"specmodel_{zlib.crc32(html.encode()):x}_{name}"  # one name with two frames would be built anew
    if routed():
        stub = STUB.replace("JS_URL", json.dumps(_url(f"{name}.js")))
        stub = stub.replace("CSS_URLS", json.dumps([_url(sheet) for sheet in sheets]))
        return st.components.v2.component(registered, html=html, js=stub, isolate_styles=isolate_styles)
    js, css = _inline(f"{name}.js"), "\n".join((FRONTEND / sheet).read_text("utf-8") for sheet in sheets)
    return st.components.v2.component(registered, html=html, js=js, css=css, isolate_styles=isolate_styles)


def inlined(name: str) -> str:
    """One of our scripts with what it imports, for a page that is a file.

    >>> "import" in inlined("report.js").split("class Report")[0]
    False
    """
    return _inline(name)


def _inline(name: str, known: set[str] | None = None) -> str:
    """A script with the scripts that it imports in their places, each of them once."""
    known = set() if known is None else known

    def imported(found: re.Match[str]) -> str:
        if found[1] in known:
            return ""
        known.add(found[1])
        return re.sub("^export ", "", _inline(found[1], known), flags=re.MULTILINE)

    return IMPORT.sub(imported, (FRONTEND / name).read_text("utf-8"))


def _url(name: str) -> str:
    return f"{FOLDER}/{_edition()}/{name}"


def _scripts() -> list[Path]:
    return sorted(path for path in FRONTEND.iterdir() if path.suffix in MEDIA_TYPES)


@cache
def _edition() -> str:
    """A hash of all our scripts and styles: in the address of each, so that they can import each other."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in _scripts())).hexdigest()[:12]


@cache
def _files() -> dict[str, Path]:
    """Every file that may be asked for, by its name in the address; nothing else on the disk can be reached."""
    package = find_spec("plotly")
    folders = list(package.submodule_search_locations or []) if package else []
    plotly = {Path(PLOTLY_URL).name: Path(folder) / "package_data" / "plotly.min.js" for folder in folders}
    return plotly | {f"{_edition()}/{path.name}": path for path in _scripts()}


@lru_cache(maxsize=32)
def _gzipped(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), 9, mtime=0)


def _serve(request: Request) -> Response:
    """Answer from memory. A plain function, so that Starlette compresses in a thread, not on the event loop."""
    path = _files().get(request.path_params["name"])
    if path is None:
        return PlainTextResponse("Not found", status_code=404)
    headers = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    compressed = "gzip" in request.headers.get("accept-encoding", "")
    if compressed:
        headers["Content-Encoding"] = "gzip"
    body = _gzipped(path) if compressed else path.read_bytes()
    return Response(body, headers=headers, media_type=MEDIA_TYPES[path.suffix])
