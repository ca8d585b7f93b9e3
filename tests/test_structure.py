"""The rules of the layout: who may import whom, how long a file may be, what has to be documented."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {"app.py", "pages", "specmodel", "requirements.txt", "tests", "README.md", "LICENSE"}
PACKAGE_FACE = "specmodel/__init__.py"  # offers core and logs under one name

# layer -> the layers it may import beside itself
MAY_IMPORT = {
    "core": set(),
    "logs": {"core"},
    "live": {"core"},
    "figures": {"core", "live"},
    "dashboard": {"figures", "core", "logs", "live"},
    "pages": {"dashboard", "figures", "core", "logs", "live"},
    "app": {"dashboard", "figures", "core", "logs", "live"},
}
# layer -> the installed packages it may import
PACKAGES = {
    "core": {"numpy", "scipy"},
    "logs": {"numpy", "prometheus_client", "ahocorasick_rs"},
    "live": {"numpy", "requests"},
    "figures": {"numpy", "plotly"},
    "dashboard": {"numpy", "pandas", "plotly", "streamlit", "babel", "starlette"},
    "pages": {"numpy", "pandas", "streamlit"},
    "app": {"plotly", "streamlit", "starlette"},
}
# Core modules at the edge, where tables come in and go out.
PANDAS_EDGES = {"specmodel/measured/rounds_file.py"}

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
    return [name for name in app_files() if layer(name) in ("core", "logs", "live")]


def layer(name: str) -> str:
    first, *rest = name.removesuffix(".py").split("/")
    if first == "specmodel":
        return rest[0] if rest[0] in ("logs", "live", "figures", "dashboard") else "core"
    return first


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


def imported_layers(name: str) -> set[str]:
    ours = (
        dotted.replace(".", "/") for dotted in imports(name) if dotted.split(".")[0] in ("specmodel", "pages", "app")
    )
    return {layer(path if "/" in path else f"{path}/__init__") for path in ours}


def imported_packages(name: str) -> set[str]:
    roots = {dotted.split(".")[0] for dotted in imports(name)}
    return roots - sys.stdlib_module_names - {"specmodel", "pages", "app"}


@pytest.mark.parametrize("name", app_files())
def test_imports_point_one_way(name):
    own = layer(name)
    allowed = {own} - {"pages"} | MAY_IMPORT[own] | ({"logs"} if name == PACKAGE_FACE else set())
    assert imported_layers(name) <= allowed


@pytest.mark.parametrize("name", app_files())
def test_packages_stay_in_their_layer(name):
    assert imported_packages(name) <= PACKAGES[layer(name)] | ({"pandas"} if name in PANDAS_EDGES else set())


def test_imported_packages_are_required():
    required = re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name.replace("-", "_") for name in required} == set().union(*map(imported_packages, app_files()))


def test_package_loads_without_the_dashboard():
    heavy = "import sys, specmodel; print(sorted(sys.modules.keys() & {'streamlit', 'plotly', 'pandas', 'babel'}))"
    loaded = subprocess.run([sys.executable, "-c", heavy], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize("name", app_files())
def test_file_is_one_idea(name):
    lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
    assert lines <= (100 if layer(name) == "pages" else 300)


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


@pytest.mark.parametrize("name", core_files())
def test_core_is_documented(name):
    assert ast.get_docstring(tree(name)), "the module has no docstring"
    assert not [called for called, node in public_definitions(name) if not ast.get_docstring(node)]


@pytest.mark.parametrize("name", core_files())
def test_public_functions_have_an_example(name):
    functions = [node for node in tree(name).body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    assert not [node.name for node in functions if ">>>" not in (ast.get_docstring(node) or "")]


def test_no_machine_paths_and_nothing_unfinished():
    texts = [name for name in repository_files() if not name.endswith((".png", ".svg", ".ico", ".gz", ".npz"))]
    found = []
    for name in texts:
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            if MACHINE_PATH.search(line) or UNFINISHED.search(line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not found
