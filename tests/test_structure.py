"""The rules of the layout: which room may import which, how long a file may be, what has to be documented."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {"app.py", "pages", "specmodel", "requirements.txt", "tests", "README.md", "LICENSE"}
# offers several rooms under one name; the commands stand above all rooms, and answer as the dashboard's pages do
FACES = {"specmodel/__init__.py", "specmodel/__main__.py", "specmodel/logs/__main__.py"}

# room -> the rooms it may import beside itself
BELOW = {
    "base": "",
    "data": "base serving",
    "model": "base",
    "sampling": "base model",
    "serving": "base model",
    "measured": "base model",
    "methods": "base model serving",
    "ngram": "base model sampling",
    "drift": "base model",
    "engine": "base model serving measured",
    "logs": "base measured",
    "validation": "base model serving measured engine logs",
    "watch": "base model measured engine logs",
    "figures": "base model sampling serving measured methods ngram drift engine logs validation",
    "dashboard": "base model sampling serving measured methods ngram drift engine logs validation watch figures",
    "pages": "dashboard",
    "app": "dashboard",
}
MAY_IMPORT = {room: set(below.split()) for room, below in BELOW.items()}
# the same within the dashboard; a folder that is not named here is a page's
DASHBOARD = {
    "session": "",
    "parts": "session",
    "lesson": "session parts",
    "passes": "session parts",
    "frame": "session parts lesson passes",
}
A_PAGE = {"session", "parts", "lesson", "passes"}
# a page's folder -> what it may ask of another page's
ACCESSORS = {
    "drift": {"specmodel.dashboard.engine.current", "specmodel.dashboard.engine.linked"},
    "passes": {"specmodel.dashboard.engine.current"},
}
# room -> the installed packages it may import
PACKAGES = {
    "base": {"numpy"},
    "data": {"numpy", "scipy", "aiconfigurator_core"},
    "logs": {"numpy", "prometheus_client", "ahocorasick_rs", "requests"},
    "watch": {"yaml", "grafana_foundation_sdk"},
    "figures": {"numpy", "plotly"},
    "dashboard": {"numpy", "pandas", "plotly", "streamlit", "babel", "starlette", "orjson"},
    "pages": {"numpy", "pandas", "streamlit"},
    "app": {"plotly", "streamlit", "starlette"},
}
CORE_PACKAGES = {"numpy", "scipy"}
# of scripts that are run by hand, where they are installed: the app imports neither
BY_HAND = {"aiconfigurator_core"}
# Modules at the edge of the core, where tables come in.
PANDAS_EDGES: set[str] = set()

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|farm|root|Users|home/\w+)/|/tmp/\w")
UNFINISHED = re.compile(r"\b(?:T[O]DO|FIX[M]E|X[X]X|NotImplemented[E]rror)\b")


@cache
def repository_files() -> list[str]:
    """What is, or on the next commit would be, in the repository."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in set(listed.split("\0")) if (ROOT / name).is_file())


def app_files() -> list[str]:
    return [name for name in repository_files() if re.fullmatch(r"app\.py|(pages|specmodel)/.*\.py", name)]


def core_files() -> list[str]:
    return [name for name in app_files() if room(name) not in ("figures", "dashboard", "pages", "app")]


def room(name: str) -> str:
    """The room of a file, or of what a dotted name names."""
    first, *rest = name.removesuffix(".py").split("/")
    return rest[0] if first == "specmodel" else first


@cache
def tree(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), name)


def imports(name: str) -> Iterator[str]:
    """The dotted names that a file imports, `from a import b` as a.b."""
    package = name.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def imported_files(name: str) -> set[str]:
    """What a file imports of ours, as paths."""
    return {dotted.replace(".", "/") for dotted in imports(name) if dotted.split(".")[0] in ("specmodel", "pages")}


def imported_rooms(name: str) -> set[str]:
    return {room(path) for path in imported_files(name) if "/" in path}


def folder(path: str) -> str:
    """The folder of the dashboard that a path lies in; empty for the dashboard's own face."""
    inside = path.removeprefix("specmodel/dashboard").strip("/").split("/")
    return inside[0].removesuffix(".py")


def imported_packages(name: str) -> set[str]:
    roots = {dotted.split(".")[0] for dotted in imports(name)}
    return roots - sys.stdlib_module_names - {"specmodel", "pages", "app"}


def test_imports_point_one_way():
    wrong = {}
    for name in set(app_files()) - FACES:
        own = room(name)
        allowed = {own} - {"pages"} | MAY_IMPORT[own] | ({"figures"} if own == "pages" else set())
        wrong[name] = imported_rooms(name) - allowed
    assert offenders(wrong) == {}


def test_no_page_imports_another_and_folders_of_the_dashboard_point_one_way():
    wrong = {}
    for name in (name for name in app_files() if room(name) == "dashboard"):
        own = folder(name)
        allowed = {own} | (set(DASHBOARD[own].split()) if own in DASHBOARD else A_PAGE)
        asked = (path for path in imported_files(name) if path.startswith("specmodel/dashboard/"))
        wrong[name] = {
            path
            for path in asked
            if folder(path) not in allowed and path.replace("/", ".").rpartition(".")[0] not in ACCESSORS.get(own, ())
        }
    assert offenders(wrong) == {}


def offenders(wrong: Mapping[str, Collection[Any]]) -> dict[str, Collection[Any]]:
    """The files with something wrong, and what it is."""
    return {name: what for name, what in wrong.items() if what}


def test_answers_know_no_streamlit():
    """Nor does what they import."""
    answers = [name for name in app_files() if name.endswith("/answer.py") and room(name) == "dashboard"]
    assert len(answers) > 10  # of every page, and the parts
    modules = ", ".join(name.removesuffix(".py").replace("/", ".") for name in answers)
    program = f"import sys, {modules}; print('streamlit' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "False"


def test_packages_stay_in_their_room():
    wrong = {}
    for name in app_files():
        allowed = PACKAGES.get(room(name), CORE_PACKAGES) | ({"pandas"} if name in PANDAS_EDGES else set())
        wrong[name] = imported_packages(name) - allowed
    assert offenders(wrong) == {}


def test_imported_packages_are_required():
    required = re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    named = {"pyyaml": "yaml"}  # packages that are imported under another name
    assert {named.get(name, name.replace("-", "_")) for name in required} == set().union(
        *map(imported_packages, app_files())
    ) - BY_HAND


def test_package_loads_without_the_dashboard():
    heavy = "import sys, specmodel; print(sorted(sys.modules.keys() & {'streamlit', 'plotly', 'pandas', 'babel'}))"
    loaded = subprocess.run([sys.executable, "-c", heavy], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_file_is_one_idea():
    lines = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in app_files()}
    assert {name: count for name, count in lines.items() if count > (80 if room(name) == "pages" else 250)} == {}


def test_top_level_is_the_fixed_frame():
    names = {name.split("/")[0] for name in repository_files()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


def public_definitions(name: str) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Public functions and classes of a module, and the public methods of those classes."""
    for node in tree(name).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member


def test_core_is_documented():
    assert [name for name in core_files() if not ast.get_docstring(tree(name))] == []
    silent = {
        name: [called for called, node in public_definitions(name) if not ast.get_docstring(node)]
        for name in core_files()
    }
    assert offenders(silent) == {}


def test_public_functions_have_an_example():
    wrong = {}
    for name in core_files():
        functions = [node for node in tree(name).body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
        wrong[name] = [node.name for node in functions if ">>>" not in (ast.get_docstring(node) or "")]
    assert offenders(wrong) == {}


def test_no_machine_paths_and_nothing_unfinished():
    texts = [name for name in repository_files() if not name.endswith((".png", ".svg", ".ico", ".gz", ".npz"))]
    found = []
    for name in texts:
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            if MACHINE_PATH.search(line) or UNFINISHED.search(line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not found
