"""Finds every text that the app shows and keeps the catalogues of translations in step with them.

    python tests/catalogue.py           writes the new texts into each .po, drops unused ones, lists what is left to do
    python tests/catalogue.py --check   only lists, and fails if there is anything

Texts are the literals in `_("…")`, `N_`, `t`, `translate`, `_.plural("…", "…", n)`, `Message("…", {…})` with the
literals among its values, label and help of `param` and `quantity`, and the docstrings of the functions that pages
explain (`explains` of their declarations). `"…" if … else "…"` counts, and so does a name if the same file assigns a
literal to it. A text that arrives in any other way (from a table, say) has to be marked with `N_` where it stands.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from specmodel.base.docstrings import paragraphs  # noqa: E402
from specmodel.dashboard.session.pages import pages  # noqa: E402
from specmodel.dashboard.session.translation import LANGUAGES, LOCALE  # noqa: E402

# function -> the arguments that are texts, as (position, keyword)
TEXT_ARGUMENTS = {
    **{name: ((0, "text"),) for name in ("_", "N_", "t", "translate")},
    **{name: ((0, "label"), (1, "help")) for name in ("param", "quantity", "factors")},
    **{
        name: ((0, "template"),)
        for name in ("Message", "RoundsError", "LogError", "_NotJson", "note", "refuse", "assume")
    },
}
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
HEADER = "# Translations of the speculative decoding explorer, kept in step with it by tests/catalogue.py."
Id = str | tuple[str, str]


@dataclass
class Found:
    """The texts with the files they stand in, and the places where a text cannot be extracted."""

    texts: dict[Id, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, text: Id, where: str) -> None:
        places = self.texts.setdefault(text, [])
        if where not in places:
            places.append(where)


class Source:
    """One file: adds the texts of its calls to what was found."""

    def __init__(self, path: Path, found: Found):
        self.where = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        self.found = found
        self.assigned: dict[str, list[ast.expr]] = defaultdict(list)
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assigned[getattr(target, "id", "")].append(node.value)
        for call in sorted((node for node in nodes if isinstance(node, ast.Call)), key=lambda call: call.lineno):
            self.extract(call)

    def extract(self, call: ast.Call) -> None:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name == "plural" and len(call.args) > 1:
            for singular, plural in zip(self.literals(call.args[0]), self.literals(call.args[1]), strict=False):
                self.found.add((singular, plural), self.where)
        arguments = [_argument(call, *which) for which in TEXT_ARGUMENTS.get(name, ())]
        values = _argument(call, 1, "values")
        if name == "Message" and isinstance(values, ast.Dict):
            arguments += [value for value in values.values if isinstance(value, ast.Constant | ast.IfExp)]
        for argument in arguments:
            for text in self.literals(argument):
                self.found.add(text, self.where)

    def literals(self, node: ast.expr | None, follow: bool = True) -> list[str]:
        """The non-empty literal texts that an argument may be."""
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) and node.value else []
        if isinstance(node, ast.IfExp):
            return self.literals(node.body) + self.literals(node.orelse)
        if isinstance(node, ast.Name) and follow:
            return [text for value in self.assigned[node.id] for text in self.literals(value, follow=False)]
        if node is not None and follow and _is_put_together(node):
            problem = f"{self.where}:{node.lineno}: no catalogue can hold `{ast.unparse(node)}`"
            self.found.problems.append(f"{problem}; translate a template and fill it in afterwards")
        return []


def _argument(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    if position < len(call.args):
        return call.args[position]
    return next((given.value for given in call.keywords if given.arg == keyword), None)


def _is_put_together(node: ast.expr) -> bool:
    """An f-string, an operation on a string (+, %), or `"…".format(…)`."""
    if isinstance(node, ast.BinOp):
        return any(_is_put_together(side) or _is_text(side) for side in (node.left, node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "format" and _is_text(node.func.value)
    return isinstance(node, ast.JoinedStr)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def extract(paths: Iterable[Path]) -> Found:
    """The texts of some files."""
    found = Found()
    for path in paths:
        Source(path, found)
    return found


def extract_app() -> Found:
    """The texts of the whole app: its files, and the docstrings that its pages show."""
    found = extract(
        [*ROOT.glob("app.py"), *sorted(ROOT.glob("pages/**/*.py")), *sorted(ROOT.glob("specmodel/**/*.py"))]
    )
    for function in _explained():
        for kind, text in paragraphs(function):
            if kind == "text":
                found.add(text, function.__module__.replace(".", "/") + ".py")
    return found


def _explained() -> Iterable[Callable[..., Any]]:
    return dict.fromkeys(function for page in pages().values() for function in page.explains)


def po_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "specmodel.po"


def read(language: str) -> Catalog:
    """The catalogue of a language as it is; empty if there is none."""
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def problems(catalogue: Catalog, texts: dict[Id, list[str]]) -> list[str]:
    """What is missing, unused, empty, fuzzy, or has other placeholders than its text."""
    entries = {entry.id: entry for entry in catalogue if entry.id}
    wrong = [f"missing: {text!r} ({places[0]})" for text, places in texts.items() if text not in entries]
    wrong += [f"unused: {entry.id!r} = {entry.string!r}" for id, entry in entries.items() if id not in texts]
    wrong += [f"unused: {entry.id!r} = {entry.string!r}" for entry in catalogue.obsolete.values()]
    for id, entry in entries.items():
        if id in texts and (complaint := _complaint(entry)):
            wrong.append(f"{complaint}: {id!r} ({texts[id][0]})")
    return wrong


def _complaint(entry: Entry) -> str:
    forms = _forms(entry.string)
    expected = set(PLACEHOLDER.findall(_forms(entry.id)[-1]))
    if not all(forms):
        return "empty"
    if entry.fuzzy:
        return "fuzzy"
    differing = [form for form in forms if set(PLACEHOLDER.findall(form)) != expected]
    return f"other placeholders in {differing[0]!r}" if differing else ""


def _forms(text: str | Iterable[str] | None) -> tuple[str, ...]:
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def updated(old: Catalog, texts: dict[Id, list[str]]) -> Catalog:
    """A catalogue of exactly these texts, with the translations of the old one."""
    new = Catalog(
        old.locale,
        header_comment=HEADER,
        project="specmodel",
        version="1",
        creation_date=old.creation_date,
        revision_date=old.creation_date,
        last_translator="-",
        language_team="-",
        msgid_bugs_address="-",
        fuzzy=False,
    )
    kept = {entry.id: entry for entry in old}
    for text, places in texts.items():
        new[text] = kept.get(text) or Entry(text)
        new[text].locations = [(place, 0) for place in places]
    return new


def update(language: str, texts: dict[Id, list[str]]) -> list[str]:
    """Write the catalogue of a language anew; the entries that fell out of it."""
    old = read(language)
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, updated(old, texts), width=0, include_lineno=False)
    return [problem for problem in problems(old, texts) if problem.startswith("unused")]


def main(arguments: list[str]) -> int:
    """Update the catalogues, or only check them; 1 if something is left to do and only a check was asked for."""
    found = extract_app()
    left = list(found.problems)
    for language in LANGUAGES.keys() - {"en"}:
        dropped = [] if "--check" in arguments else update(language, found.texts)
        left += [f"{language}: {problem}" for problem in [*dropped, *problems(read(language), found.texts)]]
    print(*left, f"{len(found.texts)} texts, {len(left)} things to do", sep="\n")
    return int("--check" in arguments and bool(left))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
