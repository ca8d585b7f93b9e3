"""The part of a docstring that a visitor sees: its prose and its formulas, without arguments and examples."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby, takewhile
from typing import Any, Literal

Kind = Literal["text", "formula"]
_END = re.compile(r"\s*(Args:|Returns:|Raises:|Examples?:|>>>)")


@cache
def paragraphs(function: Callable[..., Any]) -> tuple[tuple[Kind, str], ...]:
    """The displayed parts of a docstring, in order; only those of kind "text" need a translation.

    Everything before the arguments or the first example counts. A paragraph becomes one line; what is indented by
    four or more spaces is a formula and keeps its lines; a line that starts with "- " begins a paragraph of its own.

    >>> def speedup(tau, rho):
    ...     '''Tokens per round over
    ...     the cost of a round.
    ...
    ...         speedup = tau / rho
    ...
    ...     Args: not shown
    ...     '''
    >>> paragraphs(speedup)
    (('text', 'Tokens per round over the cost of a round.'), ('formula', 'speedup = tau / rho'))
    """
    shown = takewhile(lambda line: not _END.match(line), (inspect.getdoc(function) or "").splitlines())
    return tuple(
        (kind, textwrap.dedent("\n".join(lines)) if kind == "formula" else " ".join(map(str.strip, lines)))
        for kind, lines in _blocks(shown)
    )


def _blocks(lines: Iterator[str]) -> Iterator[tuple[Kind, list[str]]]:
    """Runs of lines between blank lines, each of one kind, bullets apart."""
    for kind, run in groupby(lines, _kind):
        block: list[str] = []
        for line in run:
            if block and kind == "text" and line.startswith("- "):
                yield kind, block
                block = []
            block.append(line)
        if kind:
            yield kind, block


def _kind(line: str) -> Kind | None:
    if not line.strip():
        return None
    return "formula" if line.startswith("    ") else "text"
