"""Where the training text is found, and how prose, source code and messages are taken out of it."""

import ast
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim

# Modules of the standard library with much in their docstrings; the first holds the topics that help() explains.
PROSE_FILES = (
    "pydoc_data/topics.py",
    "turtle.py",
    "typing.py",
    "difflib.py",
    "doctest.py",
    "threading.py",
    "configparser.py",
    "ipaddress.py",
    "statistics.py",
    "smtplib.py",
    "inspect.py",
    "shutil.py",
    "codecs.py",
    "subprocess.py",
    "_pyio.py",
    "socketserver.py",
    "optparse.py",
    "imaplib.py",
    "os.py",
    "traceback.py",
    "random.py",
    "uuid.py",
    "textwrap.py",
    "tempfile.py",
)
CODE_FILES = (
    "configparser.py",
    "csv.py",
    "fractions.py",
    "ftplib.py",
    "functools.py",
    "gettext.py",
    "heapq.py",
    "logging/__init__.py",
    "queue.py",
    "random.py",
    "shutil.py",
    "socket.py",
    "statistics.py",
    "string.py",
    "tempfile.py",
    "textwrap.py",
    "threading.py",
    "unittest/case.py",
    "uuid.py",
)
INSTEAD = ("numpy", "pandas")  # where the standard library is there without its sources
LEAST_CHARACTERS = 60

# One capital letter, no markup and no code inside, and an end.
_PROSE = re.compile(r"[A-Z][a-z ][^>|{}<=\\`~]*[.:?!]")
_MESSAGE = re.compile(r'^msgstr(?:\[0\])? ((?:".*"\s*)+)', re.MULTILINE)
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def python_sources(names: Iterable[str]) -> tuple[Message, Iterator[Path]]:
    """What the sources are, and the files: those of the standard library, or those of NumPy and pandas instead.

    >>> what, files = python_sources(["textwrap.py"])
    >>> [file.name for file in files]
    ['textwrap.py']
    """
    library = Path(sysconfig.get_path("stdlib"))
    found = [library / name for name in names if (library / name).is_file()]
    if found:
        version = Verbatim(f"{sys.version_info.major}.{sys.version_info.minor}")
        return Message(N_("the standard library of Python {version}"), {"version": version}), iter(found)
    packages = [name for name in INSTEAD if find_spec(name)]
    if not packages:
        message = "no text to train on: neither sources of the Python standard library nor {packages} are installed"
        raise SpecmodelError(Message(message, {"packages": Verbatim(", ".join(INSTEAD))}))
    listed = Verbatim(", ".join(packages))
    return Message(N_("the installed packages {packages}"), {"packages": listed}), _files_of(packages)


def _files_of(packages: Iterable[str]) -> Iterator[Path]:
    for name in packages:
        spec = find_spec(name)
        roots = sorted(spec.submodule_search_locations or []) if spec else []
        for root in map(Path, roots):
            inside = ((file, file.relative_to(root).parts) for file in sorted(root.rglob("*.py")))
            yield from (file for file, parts in inside if "tests" not in parts)


def prose(source: str) -> list[str]:
    r"""Paragraphs of prose in the docstrings of a Python source and in its long texts, each in one line.

    >>> prose('\"\"\"A line of prose that is long enough to\nbe taken for a paragraph of text.\n\nx = 1\"\"\"')
    ['A line of prose that is long enough to be taken for a paragraph of text.']
    """
    blocks = (block for text in _long_texts(ast.parse(source)) for block in re.split(r"\n\s*\n", text))
    lines = (" ".join(block.split()) for block in blocks)
    return [line for line in lines if len(line) >= LEAST_CHARACTERS and _PROSE.fullmatch(line)]


def _long_texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
        elif isinstance(node, ast.Dict):
            values = (value.value for value in node.values if isinstance(value, ast.Constant))
            yield from (value for value in values if isinstance(value, str))


def code_blocks(source: str) -> list[str]:
    r"""The top-level parts of a Python source: what stands between blank lines that a line in column 0 follows.

    >>> code_blocks("import os\n\n\ndef f():\n    return os.sep\n")
    ['import os', 'def f():\n    return os.sep']
    """
    blocks = re.split(r"\n\n+(?=\S)", source)
    return [block.strip("\n") for block in blocks if block.strip()]


def translations(catalogue: str) -> list[str]:
    r"""The Japanese sentences of a gettext catalogue, in its order, without those that leave room for a value.

    >>> translations('msgid "a"\nmsgstr "無駄です。"\n"{k} 個。"\n\nmsgid "b"\nmsgstr "受理"\n')
    ['無駄です。', '受理']
    """
    sentences: list[str] = []
    for quoted in _MESSAGE.findall(catalogue):
        text = "".join(ast.literal_eval(part) for part in quoted.splitlines() if part.strip())
        sentences += (part.strip() for part in re.split(r"(?<=[。？！])|\n", text))
    return [part for part in sentences if _JAPANESE.search(part) and not re.search(r"[{}<>|]", part)]
