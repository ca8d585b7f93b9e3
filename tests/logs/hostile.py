"""Texts that make a careless reader slow: made from the readers' own markers and patterns, and from the samples.

A hostile text is a function from a size in characters to a text of about that size.
"""

import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

from specmodel import logs
from specmodel.logs._documents import is_document
from specmodel.logs._format import Format, Lines, Metrics, Objects, Tables

Hostile = Callable[[int], str]
SAMPLES = Path(__file__).parent / "samples"
MANY = 50  # a repeat that may match more often than this is worth pumping
CLASSES = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_WORD: "a"}


# ── from patterns: what matches up to a repeat, the repeated item many times, and no end ──


def text_of(nodes: Any) -> str:
    """A text that a parsed pattern matches (what looks around it left out)."""
    return "".join(_text_of(code, value) for code, value in nodes)


def _text_of(code: Any, value: Any) -> str:
    if code is sre.LITERAL:
        return chr(value)
    if code is sre.IN:
        return _one_of(value)
    if code in (sre.ANY, sre.NOT_LITERAL):
        return "x"
    if code in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return text_of(value[2]) * max(int(value[0]), 1)
    if code is sre.SUBPATTERN:
        return text_of(value[3])
    if code is sre.ATOMIC_GROUP:
        return text_of(value)
    return text_of(value[1][0]) if code is sre.BRANCH else ""


def _one_of(items: Any) -> str:
    code, value = items[0]
    if code is sre.NEGATE:
        return "x"
    if code is sre.CATEGORY:
        return str(CLASSES.get(value, "x"))
    return chr(value[0] if code is sre.RANGE else value)


def pumps(nodes: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """(what matches up to a repeat, what it repeats), for every long repeat of a parsed pattern."""
    for code, value in nodes:
        inside: list[Any] = []
        if code in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            inside = [value[2]]
            if value[1] > MANY:
                yield before, text_of(value[2])
        elif code is sre.BRANCH:
            inside = value[1]
        elif code in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            inside = [value[3] if code is sre.SUBPATTERN else value]
        for each in inside:
            yield from pumps(each, before)
        before += _text_of(code, value)


def repeated(before: str, item: str, size: int) -> str:
    return before + item * (size // max(len(item), 1)) + "\n"


def of_pattern(pattern: "re.Pattern[str]") -> Iterator[tuple[str, str]]:
    """(start of a line, what follows it again and again) for every way to keep a pattern busy."""
    nodes = parser.parse(pattern.pattern, pattern.flags)
    whole = text_of(nodes)
    yield "", whole[:-1]
    for before, item in pumps(nodes):
        yield before, item
        yield "", before + item + item


# ── the patterns of each format's file, and of the files that it takes from ──


def modules() -> dict[Format, ModuleType]:
    found: dict[Format, ModuleType] = {}
    for info in pkgutil.iter_modules(logs.__path__, f"{logs.__name__}."):
        if not info.ispkg and not info.name.rpartition(".")[2].startswith("_"):
            module = importlib.import_module(info.name)
            found |= dict.fromkeys(module.FORMATS, module)
    return found


def patterns(module: ModuleType) -> set["re.Pattern[str]"]:
    taken = {sys.modules[getattr(value, "__module__", None) or module.__name__] for value in vars(module).values()}
    own = [module, *(each for each in taken if each.__name__.startswith("specmodel.logs._"))]
    values = [value for each in own for value in vars(each).values()]
    values += [item for value in values if isinstance(value, tuple) for item in value]
    return {each for each in values if isinstance(each, re.Pattern) and isinstance(each.pattern, str)}


def of_lines(format: Lines, module: ModuleType) -> Iterator[Hostile]:
    """Every marker again and again, and behind a sample every way to keep a pattern busy, with a marker before it."""
    for marker in format.markers:
        yield partial(repeated, "", marker)
        yield partial(repeated, "", f"{marker}\n")
    sample = next(samples(format), "").rstrip("\n")
    for pattern in sorted(patterns(module), key=str):
        for before, item in dict.fromkeys(of_pattern(pattern)):
            yield partial(repeated, f"{sample}\n{format.markers[0]}{before}", item)


# ── from samples: what is in them, much longer or much more often ──


def samples(format: Format) -> Iterator[str]:
    """The samples that the format reads."""
    for path in sorted(SAMPLES.iterdir()):
        if path.is_file() and path.name != "expected.json":
            text = path.read_text(encoding="utf-8")
            try:
                stats = logs.parse(text)
            except logs.LogError:
                continue
            if (stats.engine, stats.source) == (format.engine, format.source):
                yield text


def renamed(text: str, size: int, line_end: str = "\n") -> str:
    """The text again and again, with other names for everything that has one."""
    copies = size // max(len(text), 1) + 1
    return line_end.join(
        re.sub(r"demo|coding|writing|humaneval|eagle|(?<=_rank=.)", f"other{at}", text) for at in range(copies)
    )


def counted(line: str, place: int, size: int) -> str:
    """The line again and again, with another value for one of its numbers."""
    numbers = list(re.finditer(r"\d+", line))
    start, end = numbers[place].span()
    return "".join(f"{line[:start]}{at}{line[end:]}\n" for at in range(1, size // max(len(line), 1) + 2))


def of_logs(text: str) -> Iterator[Hostile]:
    """Every kind of line in a log with each of its numbers counting up."""
    shapes = {re.sub(r"\d+", "0", line): line for line in text.splitlines()}
    for line in shapes.values():
        for place in range(len(re.findall(r"\d+", line))):
            yield partial(counted, line, place)


def longer(found: Any, times: int, only: tuple[Any, ...] | None = None, path: tuple[Any, ...] = ()) -> Any:
    """JSON with its lists, or one of its lists and texts, many times as long."""
    grown = times if only in (None, path) else 1
    if isinstance(found, dict):
        kept = {key: longer(value, times, only, (*path, key)) for key, value in found.items()}
        return kept | {f"{key} {at}": kept[key] for key in list(kept)[:1] for at in range(grown if only == path else 0)}
    if isinstance(found, list):
        return [longer(value, times, only, (*path, 0)) for value in found] * grown
    return found * grown if isinstance(found, str) and only == path else found


def paths(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the objects, lists and texts of a JSON value stand; of a list its first item stands for all."""
    if isinstance(found, dict | list | str):
        yield path
    if isinstance(found, dict):
        for key, value in found.items():
            yield from paths(value, (*path, key))
    elif isinstance(found, list) and found:
        yield from paths(found[0], (*path, 0))


def longer_text(found: Any, only: tuple[Any, ...] | None, size: int) -> str:
    """JSON of about the size: lists within lists grow with each other, so that the factor is found by doubling it."""
    times, text = 2, json.dumps(longer(found, 2, only))
    while times < size and 2 * len(text) < size:
        times, text = 2 * times, json.dumps(longer(found, 2 * times, only))
    return text + "\n"


def of_objects(text: str) -> Iterator[Hostile]:
    try:
        found = json.loads(text)
        yield partial(renamed, json.dumps(found))
    except json.JSONDecodeError:
        found = json.loads(text.splitlines()[0])
        yield partial(renamed, text)
    yield partial(repeated, text, "{}\n")
    yield partial(repeated, f"[{json.dumps(found)}", ",{}")
    yield partial(longer_text, found, None)
    for path in dict.fromkeys(paths(found)):
        yield partial(longer_text, found, path)


def series(name: str, size: int) -> str:
    return name + f"\n{name.splitlines()[-1]}".join(f'{{x="{at}"}} 1' for at in range(size // 40 + 1)) + "\n"


def labelled(name: str, size: int) -> str:
    return f"{name}{{" + ",".join(f'l{at}="1"' for at in range(size // 8)) + "} 1\n"


def fleet(text: str, size: int) -> str:
    """The page of a fleet: every series once for each of many models."""
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    rows = [line for line in text.splitlines() if line.startswith("# TYPE")]
    for line in lines:
        name, labels, value = re.findall(r"^([^{ ]+)(?:\{(.*)\})? (\S+)", line)[0]
        kept = [each for each in labels.split(",") if each and not each.startswith("model_name=")]
        for at in range(size // sum(len(each) + 24 for each in lines) + 2):
            rows.append(f"{name}{{{','.join([*kept, 'model_name=' + chr(34) + f'm{at}' + chr(34)])}}} {value}")
    return "\n".join(rows) + "\n"


def of_metrics(text: str) -> Iterator[Hostile]:
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    head = text if text.endswith("\n") else f"{text}\n"
    bodies = {re.sub(r"\{.*\}", "", line).partition(" ")[0]: line for line in lines}

    yield partial(fleet, text)
    for name in list(bodies)[:3]:
        yield partial(series, f"{head}{name}")
        yield partial(labelled, f"{head}{name}")
        yield partial(repeated, f"{head}{name}", "_")
        yield partial(repeated, f'{head}{name}{{x="', '\\"')
        yield partial(repeated, f"{head}# HELP {name} ", "a  ")
        yield partial(repeated, f"{head}# TYPE {name}", " ")
        yield partial(repeated, f"{head}{name} ", "1 ")
        yield partial(repeated, f"{head}{name} ", "1")


def wide(head: str, row: str, width: int, size: int) -> str:
    """A table of many positions."""
    names = ",".join(f"acceptance_at_pos_{at}" for at in range(3, width))
    return f"{head},{names}\n" + f"{row}{',0.1' * (width - 3)}\n" * (size // (4 * width) + 1)


def counted_cell(head: str, cells: list[str], place: int, size: int) -> str:
    """Rows that differ in one of their cells."""
    rows = range(size // len(",".join(cells)) + 1)
    return f"{head}\n" + "".join(",".join([*cells[:place], str(at), *cells[place + 1 :]]) + "\n" for at in rows)


def of_tables(text: str) -> Iterator[Hostile]:
    head, row = text.splitlines()[:2]
    quoted = ",".join(f'"{cell}"' for cell in row.split(","))
    for body in (f"{row}\n", f"{quoted}\n", f'{row},""', '"\n', ",", "\n"):
        yield partial(repeated, f"{head}\n", body)
    for width in (99, 1999):
        yield partial(wide, head, row, width)
    for place in range(len(head.split(","))):
        yield partial(counted_cell, head, row.split(","), place)


# ── what a reader may keep a list of, and what every file may hold ──


def each(line: str) -> Hostile:
    """Lines that differ in a running number, which stands where the line has `#`."""
    return lambda size: "".join(line.replace("#", str(at)) + "\n" for at in range(size // len(line) + 1))


SLOT = "slot print_timing: id # | task # | "
DRAFT = "draft acceptance = 0.60000 ( 180 accepted / 300 generated), mean len = 2.80"
STATISTICS = "gen drafts = 100, #acc drafts = 90, #gen tokens = 300, #acc tokens = 180".replace("#", "\u0000")
WINDOW = "SpecDecoding metrics: Draft acceptance rate: 60.0%, Mean acceptance length: 2.80, Accepted: 180 tokens, "
VARIED = {
    "slots of a server": each(f"{SLOT}eval time = 3.0 ms / 3 tokens"),
    "drafts of slots": each(SLOT + DRAFT),
    "servers by port": each(f"[#] {SLOT}eval time = 3.0 ms / 3 tokens"),
    "drafters of a server": lambda size: each(f"statistics draft-#: \0calls = 100, \0{STATISTICS}")(size).replace(
        "\0", "#"
    ),
    "rates of a request": lambda size: f"{DRAFT}, acceptance rate per position = (0.600{', 0.600' * (size // 7)})\n",
    "rates that fit no number of rounds": each(
        "draft acceptance = 0.00100 ( # accepted / 999999999 generated), mean len = 1.00, "
        "acceptance rate per position = (0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001)"
    ),
    "rates of a window": lambda size: (
        f"{WINDOW}Drafted: 300 tokens, Per-position acceptance rate: 0.600{', 0.600' * (size // 7)}\n"
    ),
    "windows of many k": lambda size: "".join(
        f"{WINDOW}Drafted: 300 tokens, Per-position acceptance rate: {', '.join(['0.000'] * k)}\n"
        for k in range(1, int((size / 4) ** 0.5))
    ),
    "shares of gpt-fast": lambda size: (
        "Acceptance probs: [" + ",".join(["0.5", "0.5", *["0"] * min(size // 2, 4900)]) + "]\n"
    ),
    "depths of Ollama": lambda size: (
        'msg="speculation depth controller" cost="1:3ms" acceptance="' + "1:0.5 " * (size // 6) + '"\n'
    ),
    "requests of oMLX without their answer": each("MTP[#] finish=stop tokens=# cycles=9 accept=0/9 (0.0%)"),
    "answers of oMLX to nothing": each("Completion: model=m, # tokens in 1.00s (9.0 tok/s), prompt: 9"),
    "depths of oMLX": lambda size: (
        "MTP[0] finish=stop tokens=9 cycles=9 accept=0/9 (0.0%) depth["
        + ",".join(f"d{at}=0/9" for at in range(1, size // 8))
        + "]\n"
    ),
    "fields of oMLX": lambda size: "MTP[0] " + "tokens=9 " * (size // 9) + "\n",
    "fields of Ollama": lambda size: 'msg="speculative decode stats" ' + "drafted=9 " * (size // 10) + "\n",
    "models of LM Studio": each('{"model": "m#", "stats": {"total_draft_tokens_count": 3}}'),
    "objects in a log": each('[12:00:00] Generated prediction: {\n  "stats": {"total_draft_tokens_count": #}\n}'),
    "an object in a log that never ends": lambda size: (
        'Generated prediction: {\n  "stats": {\n' + '    "total_draft_tokens_count": 3,\n' * (size // 33)
    ),
    "many objects in a log that never end": each('[#] prediction: {\n  "total_draft_tokens_count": 3,'),
    "braces at the ends of lines": each("[#] prediction {"),
    "roles of answers": each('{"timings": {"predicted_n": 9, "predicted_ms": 9}, "_meta": {"role": "#"}}'),
    "groups of answers": each('{"timings": {"predicted_n": 9, "predicted_ms": 9}, "category": "#"}'),
    "notes of runs": each(
        '{"model_id": "m", "tokenizer_id": "t", "duration": 1, "completed": 1, "total_output_tokens": 2, '
        '"output_throughput": 1, "mean_itl_ms": 9, "mean_tpot_ms": 2.#1}'
    ),
    "settings of runs": each(
        '{"model_id": "m#", "tokenizer_id": "t", "duration": 1, "completed": 1, "total_output_tokens": 2, '
        '"output_throughput": 1}'
    ),
    "steps of a request": lambda size: (
        json.dumps(
            {
                "speculative_decoding": {
                    "num_spec_steps": size // 6,
                    "num_draft_tokens": 1024 * (size // 6),
                    "num_accepted_draft_tokens": size // 6,
                    "mean_acceptance_length": 2.0,
                    "num_spec_tokens": 1024,
                    "per_step_accepted": [1] * (size // 6),
                    "per_step_drafted": [1024] * (size // 6),
                }
            }
        )
        + "\n"
    ),
    "rows and results of speed_bench.py": lambda size: json.dumps(
        {
            "summary": [
                {"category": str(at), "draft_n": 3, "accepted": 1, "avg_pred_t_s": 1} for at in range(size // 120)
            ],
            "results": [{"ok": True, "category": str(at)} for at in range(size // 80)],
        }
    ),
    "long rounds of an answer": each(
        '{"choices": [{"accept_lengths": [1025, 1, 1025, 2, 1025, 1025]}], "category": "#"}'
    ),
    "numbers without an end": lambda size: f'{{"predicted_n": 1{"0" * size}.5, "predicted_ms": 1}}\n',
    "digits of a line": lambda size: f"decoded {'1' * size} tokens in 3.0 seconds, speed: 3.0 t/s\n",
    "colours without an end": lambda size: "\x1b[" * 9 + "0" * (size // 2) + "\x1b]0" * (size // 6) + "n_slots = 1\n",
    "zero bytes": lambda size: "\0" * size + "n_slots = 1\n",
    "carriage returns": lambda size: "n_slots = 1\r" * (size // 12),
    "objects without lines": lambda size: '{"predicted_n": 1}' * (size // 18),
    "lists in lists": lambda size: '{"predicted_n": ' + "[" * size + "\n",
    "empty objects": lambda size: '[{"predicted_n": 1}' + ",{}" * (size // 3) + "]",
    "keys": lambda size: json.dumps({"predicted_n": 1, **{f"k{at}": {} for at in range(size // 12)}}) + "\n",
    "rounds of many prompts": lambda size: "proposed,accepted,prompt\n" + each("4,2,p#")(size),
    "rounds of many categories": lambda size: "proposed,accepted,category\n" + each("4,2,c#")(size),
    "rounds of many times": lambda size: "proposed,accepted,draft_ms,verify_ms\n" + each("4,2,3.#,20.#")(size),
    "rounds in quotes": lambda size: "proposed,accepted,run_id\n" + each('4,2,"r#"')(size),
    "columns of rounds": lambda size: "\n".join(
        f"{row}{','.join(f'{start}{at}' for at in range(size // 16))}"
        for row, start in (("proposed,accepted,", "c"), ("4,2,", "1"))
    ),
    "times of day": each("12:00:00 n_slots = #"),
}
OF_SAMPLES: dict[type, Callable[[str], Iterator[Hostile]]] = {
    Lines: lambda text: iter([partial(renamed, text)]),
    Objects: of_objects,
    Metrics: of_metrics,
    Tables: of_tables,
}


def of_format(format: Format, module: ModuleType) -> Iterator[Hostile]:
    """Every hostile text for one format."""
    if isinstance(format, Lines):
        yield from of_lines(format, module)
    for text in samples(format):
        if (
            isinstance(format, Objects) and text[0] != "{" and not is_document(text.encode())
        ):  # a log that holds such objects: see `VARIED`
            continue
        yield from OF_SAMPLES[type(format)](text)
