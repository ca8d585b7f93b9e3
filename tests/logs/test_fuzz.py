"""Files that were damaged, mixed up or made up: a result or `LogError`, soon, and never a wrong number in silence.

`SPECMODEL_EXAMPLES=20` makes twenty times as many examples as a law is written with, `tests/run.sh deep` three times.
"""

import dataclasses
import gzip
import json
import math
import pickle
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engine.record import record
from specmodel.logs import LogError, formats, parse
from specmodel.logs._format import Lines, Metrics, Objects, Tables
from specmodel.measured.spec_stats import COUNTERS, SpecStats
from specmodel.measured.stats_link import pack_stats, unpack_stats
from tests.conftest import SAMPLE_NAMES, SAMPLES, examples, times

pytestmark = pytest.mark.sized
MOST_SECONDS = 2.0
DATA = {name: (SAMPLES / name).read_bytes() for name in SAMPLE_NAMES}
NUMBERS = [field.name for field in dataclasses.fields(SpecStats) if str(field.type).startswith("float")]
RATIOS = ("mean_acceptance_length", "draft_acceptance_rate", "per_position_acceptance")


# ── what has to hold for every file ──


def read(data: bytes | str) -> SpecStats | LogError:
    """The result or the refusal. Any other error fails the test, and so does a file that takes too long."""
    start = time.process_time()
    try:
        found: SpecStats | LogError = parse(data)
    except LogError as error:
        assert str(error)
        found = error
    assert time.process_time() - start < MOST_SECONDS
    if isinstance(found, SpecStats):
        assert (wrong := unsound(found)) is None, f"{wrong} from {data[-2000:]!r}"
    return found


def unsound(stats: SpecStats) -> str | None:
    """What contradicts itself in a result; None if nothing does."""
    for name in NUMBERS:
        value = getattr(stats, name)
        if value is not None and not 0 <= value < math.inf:
            return f"{name} = {value}"
    for wrong in (_odd_ratios(stats), _odd_counts(stats)):
        if wrong:
            return wrong
    back = unpack_stats(pack_stats(stats))
    if (back.num_rounds is None) != (stats.num_rounds is None):
        return "the link does not hold the rounds"
    json.dumps(record("file", stats, None, "http://localhost"), allow_nan=False)
    assert all(str(note) for note in pickle.loads(pickle.dumps(stats)).notes)
    return next((f"part: {wrong}" for part in stats.parts if (wrong := unsound(part))), None)


def _odd_ratios(stats: SpecStats) -> str | None:
    length, rate, positions = (getattr(stats, name) for name in RATIOS)
    k = stats.num_speculative_tokens
    most = 1 + 1 / k if k else 1.0  # some count the first token, which comes from the prompt, as if it were a draft's
    if rate is not None and not 0 <= rate <= most + 1e-4:
        return f"rate {rate}"
    if length is not None and not 1 - 1e-9 <= length <= ((k + 2) * 1.001 if k else math.inf):
        return f"length {length} with k = {k}"
    if positions is not None and any(later > earlier + 1e-4 for earlier, later in pairwise((1.0, *positions))):
        return f"by position {positions}"
    if positions is not None and length is not None and not math.isclose(1 + sum(positions), length, rel_tol=1e-4):
        return f"by position {positions} with length {length}"
    return None


def _odd_counts(stats: SpecStats) -> str | None:
    drafted, accepted = stats.num_draft_tokens, stats.num_accepted_draft_tokens
    if drafted is not None and accepted is not None and accepted > drafted * 1.0001:
        return f"{accepted} accepted of {drafted}"
    reached, kept = stats.drafted_per_position, stats.accepted_per_position
    if reached is not None and drafted is not None and not math.isclose(sum(reached), drafted, rel_tol=1e-6):
        return f"{reached} drafted by position, but {drafted} drafted"
    if reached and kept and any(one > other for one, other in zip_longest(kept, reached, fillvalue=0.0)):
        return f"{kept} accepted by position of {reached}"
    if stats.tokens_per_step is not None and not 0 <= stats.tokens_per_step <= 1026:
        return f"{stats.tokens_per_step} tokens per step"
    return None


def close(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(close, one, other))
    return math.isclose(one, other, rel_tol=1e-9)


def same_ratios(found: SpecStats, original: SpecStats) -> bool:
    return all(close(getattr(found, name), getattr(original, name)) for name in RATIOS)


def new_notes(found: SpecStats, *originals: SpecStats | LogError) -> bool:
    """Whether the reader is told something that the whole file does not say."""
    told = {note.template for each in originals if isinstance(each, SpecStats) for note in each.notes}
    return bool({note.template for note in found.notes} - told)


def part_of(found: SpecStats, original: SpecStats) -> bool:
    """Whether counters are those of a part of the file; what is missing has to be unknown."""
    if original.parts_are_settings and found.mean_acceptance_length is not None:
        lengths = [part.mean_acceptance_length for part in original.parts]
        return any(close(found.mean_acceptance_length, each) for each in lengths)
    names = [name for name in COUNTERS if name != "num_steps" or found.speculation]
    return all(
        getattr(found, name) is None
        or (getattr(original, name) is not None and getattr(found, name) <= getattr(original, name) + 1e-9)
        for name in names
    )


ORIGINAL: dict[str, SpecStats | LogError] = {name: read(data) for name, data in DATA.items()}
READ = {name: stats for name, stats in ORIGINAL.items() if isinstance(stats, SpecStats)}


# ── cut ──

# files of which a part shows other counters than the whole, and why that is right
OTHER_COUNTERS = {
    "llamacpp-log-old.log": "without the line of the request its statistics count, which are those since the start",
}
# (lowest, highest) length of the lines of a log that prints ratios only
LENGTHS = {"sglang-decode-log-current.log": (2.68, 2.8)}


def cuts(name: str, data: bytes) -> list[int]:
    """Line ends, and points in between."""
    ends = [index + 1 for index, byte in enumerate(data[:-1]) if byte == 10]
    return sorted({*ends, *random.Random(name).choices(range(1, len(data)), k=times(40))})


def honest_about_a_cut(name: str, found: SpecStats, original: SpecStats) -> bool:
    if same_ratios(found, original) or new_notes(found, original):
        return True
    if name in LENGTHS and found.mean_acceptance_length is not None:
        return LENGTHS[name][0] <= found.mean_acceptance_length <= LENGTHS[name][1]
    # of a log or JSON lines, what drafted nothing may be left; a page or a report may not pass for a baseline
    if found.speculation != original.speculation and not name.endswith((".log", ".jsonl")):
        return False
    return part_of(found, original) or name in OTHER_COUNTERS


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("end", ["end", "start"])
def test_cut(name: str, end: str):
    data, original = DATA[name], ORIGINAL[name]
    for point in cuts(name, data):
        part = data[:point] if end == "end" else data[point:]
        found = read(part)
        if isinstance(found, SpecStats):
            assert isinstance(original, SpecStats), f"a part of what is refused was read: {part!r}"
            assert honest_about_a_cut(name, found, original), f"{part!r} gave {found}"


@pytest.mark.parametrize("name", [name for name in DATA if name.endswith(".json")])
def test_cut_document_is_refused(name: str):
    data = DATA[name].rstrip()
    for point in cuts(name, data):
        assert isinstance(read(data[:point]), LogError)


# ── written in another way, or twice ──

COLOUR = b"\x1b[1;32m"
SAME: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR": lambda data: data.replace(b"\n", b"\r"),
    "gzip": gzip.compress,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "colours": lambda data: (
        re.sub(rb"\d+", lambda found: COLOUR + found[0] + b"\x1b[0m", data) if data[:1] not in b"[{" else data
    ),
    "NUL": lambda data: data.replace(b",", b",\0") + b"\0",
    "empty lines": lambda data: b"\n" + data + b"\n\n",
}
OTHER: dict[str, Callable[[bytes], bytes]] = {
    "latin-1": lambda data: data.decode().encode("latin-1", "replace"),
    "UTF-16 without a mark": lambda data: data.decode().encode("utf-16-le"),
    "UTF-32": lambda data: data.decode().encode("utf-32"),
    "EBCDIC": lambda data: data.decode().encode("cp500", "replace"),
    "UTF-8 twice": lambda data: data.decode("latin-1").encode(),
    "twice": lambda data: data + data,
    "twice, each with its last line end": lambda data: (data.rstrip(b"\n") + b"\n") * 2,
    "three times": lambda data: (data.rstrip(b"\n") + b"\n") * 3,
    "each line twice": lambda data: b"".join(line + b"\n" + line + b"\n" for line in data.split(b"\n")),
    "lines backwards": lambda data: b"\n".join(data.split(b"\n")[::-1]),
    "cut gzip": lambda data: gzip.compress(data)[:-10],
    "text around": lambda data: b"some text\n" + data.rstrip(b"\n") + b"\nmore text\n",
}
# (file, change): why other ratios are right there
OTHER_RATIOS = {
    ("mlx-lm-from_draft.jsonl", "each line twice"): "a token of a dump has no time of day, and may stand there twice",
}


@pytest.mark.parametrize("change", SAME)
def test_same_numbers_in_another_spelling(change: str):
    for name, original in READ.items():
        found = read(SAME[change](DATA[name]))
        assert isinstance(found, SpecStats), f"{name}: {found}"
        for field in (*NUMBERS, *RATIOS, "engine", "version", "printed", "speculation", "num_speculative_tokens"):
            assert getattr(found, field) == getattr(original, field), f"{name}: {field}"


@pytest.mark.parametrize("change", OTHER)
def test_other_spelling_or_twice(change: str):
    for name, original in READ.items():
        found = read(OTHER[change](DATA[name]))
        if isinstance(found, SpecStats) and (name, change) not in OTHER_RATIOS:
            honest = same_ratios(found, original) or new_notes(found, original)
            assert honest, f"{name}: {found} instead of {original}"


# ── two files mixed up ──


def lines_in_turns(one: bytes, other: bytes) -> bytes:
    pairs = zip_longest(one.split(b"\n"), other.split(b"\n"))
    return b"\n".join(line for pair in pairs for line in pair if line is not None)


def blocks_in_turns(one: bytes, other: bytes, draw: random.Random) -> bytes:
    files, mixed = [one, other], b""
    while any(files):
        turn = draw.randrange(2)
        size = draw.randrange(1, 200)
        mixed, files[turn] = mixed + files[turn][:size], files[turn][size:]
    return mixed


def both_counted(found: SpecStats, one: SpecStats, other: SpecStats) -> bool:
    """Whether the counters are those of both files together, or means between those of both."""
    sums = [
        (getattr(found, name), getattr(one, name), getattr(other, name))
        for name in ("num_draft_tokens", "num_accepted_draft_tokens")
    ]
    if all(each is not None for row in sums for each in row):
        return all(close(float(both), float(a + b)) for both, a, b in sums)
    length, a, b = (each.mean_acceptance_length for each in (found, one, other))
    if length is None or a is None or b is None:
        return False
    return min(a, b) - 1e-9 <= length <= max(a, b) + 1e-9


def honest_about_two(found: SpecStats | LogError, one: SpecStats | LogError, other: SpecStats | LogError) -> bool:
    if isinstance(found, LogError) or new_notes(found, one, other):
        return True
    known = [each for each in (one, other) if isinstance(each, SpecStats)]
    return any(same_ratios(found, each) for each in known) or (len(known) == 2 and both_counted(found, *known))


@pytest.mark.parametrize("name", DATA)
def test_lines_of_two_files_in_turns_or_one_after_the_other(name: str):
    others = sorted(DATA.keys() - {name})
    for other in random.Random(name).sample(others, min(len(others), times(len(others)))):
        for mixed in (lines_in_turns(DATA[name], DATA[other]), DATA[name].rstrip(b"\n") + b"\n" + DATA[other]):
            found = read(mixed)
            assert honest_about_two(found, ORIGINAL[name], ORIGINAL[other]), f"{name} and {other}: {found}"


@pytest.mark.parametrize("name", DATA)
def test_blocks_of_two_files_in_turns(name: str):
    draw = random.Random(name)
    for other in draw.choices(list(DATA), k=times(8)):
        read(blocks_in_turns(DATA[name], DATA[other], draw))


# ── damaged ──


def flipped(data: bytearray, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 1, 2, 5, 40))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def other_digits(data: bytearray, draw: random.Random) -> None:
    digits = [index for index, byte in enumerate(data) if 48 <= byte < 58]
    for index in draw.choices(digits, k=draw.choice((1, 1, 2, 5))) if digits else ():
        data[index] = draw.choice(b"0123456789")


def moved(data: bytearray, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 2, 8))):
        start, to = draw.randrange(len(data)), draw.randrange(len(data))
        data[to:to] = data[start : start + draw.randrange(1, 60)]


def removed(data: bytearray, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 2, 8))):
        start = draw.randrange(len(data) + 1)
        del data[start : start + draw.randrange(1, 60)]


def marks(data: bytearray, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 2, 8))):
        at = draw.randrange(len(data) + 1)
        data[at:at] = draw.choice(
            (COLOUR, b"\x1b[", b"\x1b]0;", b"\0", b"\n", b"\r", b'"', b"{", b"}", b",", b"\xff", b"1e9")
        )


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("damage", [flipped, other_digits, moved, removed, marks], ids=lambda each: each.__name__)
def test_damaged(name: str, damage: Callable[[bytearray, random.Random], None]):
    draw = random.Random(f"{name} {damage.__name__}")
    for _ in range(times(20)):
        data = bytearray(DATA[name])
        damage(data, draw)
        read(bytes(data))
    packed = bytearray(gzip.compress(DATA[name]))
    damage(packed, draw)
    read(bytes(packed))


WRITTEN = (
    b"0",
    b"1",
    b"nan",
    b"inf",
    b"-1",
    b"1e300",
    b"1e-300",
    b"1e-320",
    b"1e-9",
    b"9" * 30,
    b"9" * 5000,
    b"",
    b"0.5",
    b"1000000",
    "٣".encode(),
)


@pytest.mark.parametrize("name", DATA)
def test_other_numbers(name: str):
    data = DATA[name]
    places = [match.span() for match in re.finditer(rb"\d+(?:\.\d+)?", data)]
    draw = random.Random(name)
    chosen = [(place, value) for place in places for value in WRITTEN]
    for (start, end), value in draw.sample(chosen, min(len(chosen), times(70))):
        read(data[:start] + value + data[end:])


HUGE = 10**400
VALUES: tuple[Any, ...] = (
    None,
    True,
    "x",
    "1",
    "",
    math.nan,
    math.inf,
    -math.inf,
    -1,
    0,
    1,
    2,
    0.5,
    1e300,
    1e-300,
    10**30,
    HUGE,
    [],
    {},
    [1],
    [[1]],
)


def places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(found, dict | list):
        items = found.items() if isinstance(found, dict) else enumerate(found)
    for key, value in items:
        yield from places(value, (*path, key))


def changed(found: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at a place."""
    if not path:
        return value
    copy = dict(found) if isinstance(found, dict) else list(found)
    copy[path[0]] = changed(found[path[0]], path[1:], value)
    return copy


def documents(data: bytes) -> list[Any]:
    try:
        return [json.loads(data)]
    except ValueError:
        return [json.loads(line) for line in data.splitlines()]


def as_json(found: Any) -> str:
    return json.dumps(found).replace(f'"{HUGE}"', str(HUGE))


@pytest.mark.parametrize("name", [name for name in DATA if name.endswith((".json", ".jsonl"))])
def test_other_values_in_json(name: str):
    found = documents(DATA[name])
    draw = random.Random(name)
    chosen = [(path, value) for path in places(found) for value in VALUES]
    for path, value in draw.sample(chosen, min(len(chosen), times(150))):
        rows = changed(found, path, str(HUGE) if value is HUGE else value)
        read("\n".join(map(as_json, rows)))


# ── made up ──

KEYS = sorted(
    {key for each in formats() if isinstance(each, Objects) for key in each.keys}
    | {
        match.decode()
        for name, data in DATA.items()
        if "json" in name
        for match in re.findall(rb'"([a-z_A-Z]+)":', data)
    }
)
WORDS = sorted({marker for each in formats() if isinstance(each, Lines) for marker in each.markers})
FAMILIES = sorted(
    {
        match.decode()
        for name, data in DATA.items()
        if name.endswith(".prom")
        for match in re.findall(rb"^([a-z_:]+)[ {]", data, re.MULTILINE)
    }
    | {f"{prefix}x" for each in formats() if isinstance(each, Metrics) for prefix in each.prefixes}
)
COLUMNS = sorted({column for each in formats() if isinstance(each, Tables) for column in each.columns})

numbers = st.one_of(
    st.integers(-2, 300), st.integers(), st.floats(), st.sampled_from([0.6, 2.8, 1e300, math.nan, math.inf])
)
leaves = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.lists(st.integers(0, 99), max_size=4))
anything = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=8)
    ),
    max_leaves=25,
)
logs = st.lists(
    st.tuples(st.text(max_size=10), st.sampled_from(WORDS), st.text("0123456789., ()=/%:", max_size=40)).map("".join),
    max_size=8,
).map("\n".join)
pages = st.lists(
    st.builds(
        lambda name, label, value: f"{name}{label} {value}",
        st.sampled_from(FAMILIES),
        st.sampled_from(
            ["", '{position="0"}', '{position="1"}', '{model_name="a"}', '{le="+Inf"}', '{token_position="0"}', "{"]
        ),
        numbers,
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda line: line.rpartition(" ")[0],
).map(lambda lines: "\n".join(lines) + "\n")


@examples(150)
@given(
    st.text(max_size=300) | st.binary(max_size=300) | st.binary(max_size=50).map(lambda data: b"\x1f\x8b\x08" + data)
)
def test_any_text_or_bytes(data: str | bytes):
    read(data)


@examples(200)
@given(st.lists(anything, min_size=1, max_size=3), st.sampled_from([None, 1]))
def test_any_json(found: list[Any], indent: int | None):
    read("\n".join(json.dumps(each, indent=indent) for each in found))


@examples(200)
@given(logs)
def test_any_lines_with_the_words_of_engines(text: str):
    read(text)


@examples(200)
@given(pages)
def test_any_page_with_the_names_of_engines(text: str):
    read(text)


@examples(100)
@given(
    st.lists(st.lists(numbers | st.text(max_size=5), max_size=12), max_size=5),
    st.lists(st.sampled_from(COLUMNS), max_size=12),
)
def test_any_table_with_the_columns_of_engines(rows: list[list[Any]], header: list[str]):
    read("\n".join(",".join(map(str, row)) for row in [header, *rows]))


# ── there and back ──


@dataclasses.dataclass(frozen=True)
class Run:
    """Counters of an engine that drafts k tokens in every round."""

    k: int
    rounds: int
    positions: tuple[int, ...]

    @property
    def drafted(self) -> int:
        return self.k * self.rounds

    @property
    def accepted(self) -> int:
        return sum(self.positions)

    @property
    def length(self) -> float:
        return 1 + self.accepted / self.rounds

    @property
    def rates(self) -> str:
        return ", ".join(f"{each / self.rounds:.3f}" for each in self.positions)

    @property
    def histogram(self) -> list[int]:
        return [more - less for more, less in pairwise((self.rounds, *self.positions, 0))]


@st.composite
def runs(draw: st.DrawFn, most: int) -> Run:
    rounds, k = draw(st.integers(1, most)), draw(st.integers(1, 12))
    positions = draw(st.lists(st.integers(0, rounds), min_size=k, max_size=k))
    return Run(k, rounds, tuple(sorted(positions, reverse=True)))


def read_stats(text: str) -> SpecStats:
    found = read(text)
    assert isinstance(found, SpecStats), found
    return found


def counters_of(found: SpecStats) -> tuple[Any, ...]:
    return (found.num_rounds, found.num_draft_tokens, found.num_accepted_draft_tokens, found.accepted_per_position)


def vllm_line(run: Run) -> str:
    return (
        f"INFO 11-03 14:09:24 [metrics.py:120] SpecDecoding metrics: Mean acceptance length: {run.length:.2f}, "
        f"Accepted throughput: {run.accepted / 10:.2f} tokens/s, Drafted throughput: {run.drafted / 10:.2f} tokens/s, "
        f"Accepted: {run.accepted} tokens, Drafted: {run.drafted} tokens, Per-position acceptance rate: {run.rates}, "
        f"Avg Draft acceptance rate: {100 * run.accepted / run.drafted:.1f}%\n"
    )


def vllm_line_of_0_9(run: Run) -> str:
    return (
        f"INFO 07-01 10:20:31 [metrics.py:86] SpecDecoding metrics: Draft acceptance rate: "
        f"{100 * run.accepted / run.drafted:.1f}%, Mean acceptance length: {run.length:.2f}, Accepted: {run.accepted} "
        f"tokens, Drafted: {run.drafted} tokens, Per-position acceptance rate: {run.rates}\n"
    )


@examples(200)
@given(runs(490), st.sampled_from([vllm_line, vllm_line_of_0_9]))
def test_line_of_vllm_there_and_back(run: Run, line: Callable[[Run], str]):
    """Three decimals of a rate tell the count as long as there are fewer than 500 rounds."""
    found = read_stats(line(run))
    assert counters_of(found) == (run.rounds, run.drafted, run.accepted, run.positions)
    assert found.num_speculative_tokens == run.k and not found.estimated


@examples(200)
@given(runs(10**7))
def test_long_window_of_vllm(run: Run):
    found = read_stats(vllm_line(run))
    assert counters_of(found)[:3] == (run.rounds, run.drafted, run.accepted)
    assert found.accepted_per_position is not None
    for one, other in zip(found.accepted_per_position, run.positions, strict=True):
        assert abs(one - other) <= 0.001 * run.rounds + 1


@examples(100)
@given(st.lists(runs(490), min_size=2, max_size=4))
def test_lines_of_vllm_add_up(windows: list[Run]):
    first = [Run(windows[0].k, each.rounds, (each.positions + (0,) * 12)[: windows[0].k]) for each in windows]
    found = read_stats("".join(vllm_line(run).replace("14:09:24", f"14:09:{24 + at}") for at, run in enumerate(first)))
    sums = [sum(getattr(run, name) for run in first) for name in ("rounds", "drafted", "accepted")]
    assert counters_of(found) == (*sums, tuple(map(sum, zip(*(run.positions for run in first), strict=True))))


@examples(200)
@given(runs(490))
def test_line_of_llama_cpp_there_and_back(run: Run):
    """Rounds are not in the line: those that are found print as the same mean length."""
    head = "slot print_timing: id  0 | task 0 | "
    found = read_stats(
        f"{head}draft acceptance = {run.accepted / run.drafted:.5f} ({run.accepted:5d} accepted / {run.drafted:5d} "
        f"generated), mean len = {run.length:5.2f}\n{head}     acc per pos = ({run.rates})\n"
    )
    rounds, drafted, accepted, positions = counters_of(found)
    assert (drafted, accepted) == (run.drafted, run.accepted)
    if rounds is not None and accepted:
        assert f"{1 + accepted / rounds:.2f}" == f"{run.length:.2f}" or abs(rounds - run.rounds) <= 1
        assert rounds == run.rounds or found.estimated
    if rounds == run.rounds and positions is not None:
        assert positions == run.positions


@examples(200)
@given(runs(10**6))
def test_answer_of_sglang_there_and_back(run: Run):
    answer = {
        "text": "...",
        "meta_info": {
            "completion_tokens": run.rounds + run.accepted,
            "spec_verify_ct": run.rounds,
            "spec_accept_rate": run.accepted / run.drafted,
            "spec_accept_length": run.length,
            "spec_num_correct_drafts": run.accepted,
            "spec_num_proposed_drafts": run.drafted,
            "spec_correct_drafts_histogram": run.histogram,
        },
    }
    assert counters_of(read_stats(json.dumps(answer))) == (run.rounds, run.drafted, run.accepted, run.positions)


@examples(200)
@given(runs(10**9), st.integers(1, 3))
def test_page_of_vllm_there_and_back(run: Run, engines: int):
    rows = {"num_drafts": run.rounds, "num_draft_tokens": run.drafted, "num_accepted_tokens": run.accepted}
    text = ""
    for name, value in rows.items():
        text += f"# TYPE vllm:spec_decode_{name}_total counter\n"
        for engine in range(engines):
            text += f'vllm:spec_decode_{name}_total{{engine="{engine}",model_name="m"}} {float(value)}\n'
    text += "# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter\n"
    for engine in range(engines):
        for position, value in enumerate(run.positions):
            text += (
                f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{engine="{engine}",model_name="m",'
                f'position="{position}"}} {float(value)}\n'
            )
    expected = tuple(engines * each for each in (run.rounds, run.drafted, run.accepted))
    assert counters_of(read_stats(text)) == (*expected, tuple(engines * each for each in run.positions))
