"""What every engine shares: what a file may come as, what is refused, what is left out, and the programs."""

import gzip
import io
import json
import pickle
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from specmodel import engine, logs
from specmodel.base.messages import Message
from specmodel.logs import LogError, parse, parse_file, parse_scrapes
from specmodel.logs.__main__ import main
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import unpack_stats
from tests.conftest import ROOT, SAMPLES
from tests.logs.shared import read

MEASURED = ROOT / "specmodel" / "data" / "engine"
LOG = (SAMPLES / "vllm-log-current.log").read_bytes()
LINES = LOG.decode().splitlines(keepends=True)
PAGE = (SAMPLES / "vllm-metrics-t0.prom").read_bytes()
LATER = (SAMPLES / "vllm-metrics-t1.prom").read_bytes()
ANSWER = (SAMPLES / "llamacpp-timings.json").read_bytes()
ROWS = (SAMPLES / "sglang-bench-speculative.jsonl").read_bytes()
TABLE = (SAMPLES / "speculators-acceptance.csv").read_bytes()
SPECFORGE = read("specforge-bench-eagle3-results.jsonl")
SPEC_LINE = next(line for line in LINES if "SpecDecoding" in line)

ENCODINGS = {
    "gzip": gzip.compress,
    "gzip of two members": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
    "UTF-8 with a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16 little endian": lambda data: b"\xff\xfe" + data.decode().encode("utf-16-le"),
    "UTF-16 big endian": lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
    "gzip of UTF-16": lambda data: gzip.compress(b"\xff\xfe" + data.decode().encode("utf-16-le")),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "lone CR": lambda data: data.replace(b"\n", b"\r"),
    "colours": lambda data: b"\x1b[32m" + data.replace(b": ", b"\x1b[0m: \x1b[1;38;5;208m") + b"\x1b[0m",
    "title of a terminal": lambda data: b"\x1b]0;vllm serve\x07" + data,
    "NUL bytes": lambda data: b"\0\0" + data.replace(b" ", b" \0") + b"\0\0\0",
    "empty lines around": lambda data: b"\n\n" + data + b"\n\n\n",
    "no last line end": lambda data: data.rstrip(b"\n"),
}


def refused(data: bytes | str) -> str:
    with pytest.raises(LogError) as caught:
        parse(data)
    return str(caught.value)


def noted(stats: SpecStats) -> list[str]:
    return [str(note) for note in stats.notes]


def alike(one: SpecStats, other: SpecStats) -> bool:
    """The same in everything but notes, label and the rows of the bootstrap."""
    names = [field.name for field in fields(one) if field.name not in ("notes", "label", "units", "parts")]
    return all(getattr(one, name) == getattr(other, name) for name in names)


# ── what a file may come as ──


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("data", [LOG, PAGE, ANSWER, ROWS, TABLE], ids=["log", "page", "JSON", "JSON lines", "CSV"])
def test_same_numbers_however_a_file_is_written(data, encode):
    assert alike(parse(encode(data)), parse(data))


def test_text_and_bytes_are_the_same_and_the_name_becomes_the_label():
    assert alike(parse(LOG.decode(), "a.log"), parse(LOG))
    assert parse(LOG, "a.log").label == "a.log"
    assert parse(LOG).label == ""


def test_lone_surrogates_in_a_text_are_no_error():
    assert parse("\ud800 before\n" + LOG.decode()).num_draft_tokens == 19140


def test_zero_bytes_before_a_log_that_was_cut_while_open():
    """A log that is truncated while a server writes to it starts with as many zero bytes as it had before."""
    assert alike(parse(bytes(200_000) + LOG), parse(LOG))
    assert refused(bytes(200_000)) == "the file is empty"


def test_line_numbers_are_those_of_the_file_as_it_came():
    wrong = LOG.replace(b"Drafted: 9540", b"Drafted: 5540")
    assert wrong != LOG
    said = refused(wrong)
    assert said.startswith("line 5:")
    assert refused(wrong.replace(b"\n", b"\r\n")) == refused(b"\xff\xfe" + wrong.decode().encode("utf-16-le")) == said
    assert refused(b"\n\n" + wrong).startswith("line 7:")


# ── what holds nothing ──


def test_empty():
    for data in (b"", b" ", b"\n\n\n", b"\r\n \t\r\n", b"\0\0\0", b"\xef\xbb\xbf", b"\xff\xfe", gzip.compress(b"")):
        assert refused(data) == "the file is empty"


def test_nothing_of_an_engine():
    for data in (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0\x01",
        b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40,
        b"PK\x03\x04" + bytes(range(255, -1, -1)) * 40,
        b"what a nice day\n" * 1000,
        "接受率 0.6\n".encode("shift_jis"),
        b"{}",
        b"[]",
        b'"text"',
        b"1.5",
        b"a,b,c\n1,2,3\n",
        b"# TYPE go_goroutines gauge\ngo_goroutines 12\n",
    ):
        assert refused(data).startswith("no numbers of speculative decoding were found: no log line, /metrics page, ")


# ── limits ──


def test_limit_names_the_way_out(monkeypatch):
    assert logs.MAX_BYTES == 64 * 2**20
    monkeypatch.setattr(logs, "MAX_BYTES", 2**20)
    said = "the file is larger than 1 MiB (unpacked); read it where it is: python -m specmodel.logs FILE"
    assert refused(LOG + b"x\n" * 2**20) == said
    assert refused(gzip.compress(b"x\n" * 2**26)) == said  # 130 kB that unpack to 128 MiB
    assert parse_file(io.BytesIO(LOG + b"x\n" * 2**20)).num_draft_tokens == 19140


def test_one_document_or_line_may_not_be_larger_than_memory_allows(monkeypatch):
    monkeypatch.setattr("specmodel.logs._dispatch.MAX_DOCUMENT", 2**20)
    monkeypatch.setattr("specmodel.logs._stream.MAX_LINE", 2**20)
    for start in (ANSWER.rstrip()[:-1] + b",", PAGE):
        assert refused(start + b"\n" * 2**21).startswith(
            "a single JSON document or scrape of more than 1 MiB cannot be"
        )
    assert refused(LOG + b"x" * 2**22) == "a line of more than 1 MiB cannot be read"


@pytest.mark.parametrize("cut", [3, 9, 12, 200, -9, -1])
def test_damaged_gzip(cut):
    packed = gzip.compress(LOG)
    assert refused(packed[:cut]).startswith("the file is damaged and cannot be unpacked (gzip): ")
    middle = len(packed) // 2
    assert "gzip" in refused(packed[:middle] + bytes(8) + packed[middle + 8 :])


def test_progress_is_told_the_bytes_read_so_far():
    told: list[int] = []
    data = LOG + b"x\n" * 2**21
    assert parse_file(io.BytesIO(data), progress=told.append).num_draft_tokens == 19140
    assert told == sorted(told) and len(set(told)) > 3
    assert told[-1] == len(data)


# ── more than one ──


def test_two_engines_are_refused_with_both_lines():
    lmdeploy = (SAMPLES / "lmdeploy-log.log").read_bytes()
    assert refused(LOG + lmdeploy) == (
        f"the file looks like two engines: vLLM (line 1) and LMDeploy (line {len(LINES) + 1}); give two files"
    )
    assert refused(b"\n" + lmdeploy + LOG).startswith(
        "the file looks like two engines: LMDeploy (line 2) and vLLM (line 3)"
    )


def test_several_kinds_of_one_engine_are_told():
    console = (SAMPLES / "vllm-bench-serve-console.txt").read_bytes()
    stats = parse(LOG + console)
    assert any("the file also holds what vLLM prints as “" in note for note in noted(stats))


def test_same_lines_twice_are_noted():
    stats = parse(LOG + LOG)
    assert stats.num_draft_tokens == 2 * 19140
    twice = [note for note in noted(stats) if "time of day included; both were counted" in note]
    assert twice[0] == "line 6 is the same as line 1, time of day included; both were counted"
    assert not any("time of day" in note for note in noted(parse(LOG)))


def test_duplicate_sample_is_refused():
    assert refused(PAGE + PAGE).endswith("stands in the text twice: two scrapes in one file? Give them as two files")


def test_several_models_become_parts():
    other = PAGE.replace(b"demo/target-8b", b"demo/other-70b").decode()
    both = PAGE.decode() + "".join(line for line in other.splitlines(keepends=True) if line[0] != "#")
    stats = parse(both.replace(" 4000.0", " 4000.0"))
    assert [part.label for part in stats.parts] == ["demo/target-8b", "demo/other-70b"]
    assert [part.num_draft_tokens for part in stats.parts] == [12000, 12000]
    assert (stats.num_draft_tokens, stats.parts_are_settings) == (24000, False)


# ── two scrapes ──


def test_two_scrapes_and_a_reset():
    stats = parse_scrapes(PAGE, LATER, "window")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.label) == (8000, 24000, "window")
    assert not any("started anew" in note for note in noted(stats))
    back = parse_scrapes(LATER.decode(), PAGE.decode())
    assert (back.num_rounds, back.num_draft_tokens) == (4000, 12000)
    assert any("a counter fell between the scrapes: the engine was started anew" in note for note in noted(back))


def test_scrapes_of_no_engine_or_of_two():
    lmdeploy = (SAMPLES / "lmdeploy-metrics.prom").read_bytes()
    for before, after in [(b"", b""), (PAGE, b"# TYPE a counter\na_total 1\n"), (PAGE, LATER + lmdeploy)]:
        with pytest.raises(LogError, match="the two files are no scrapes of one known engine"):
            parse_scrapes(before, after)
    with pytest.raises(LogError, match="this is no Prometheus text that can be read"):
        parse_scrapes(PAGE, b"vllm:x{ 1\n")


def test_nothing_between_two_scrapes():
    stats = parse_scrapes(PAGE, PAGE)
    assert (stats.num_rounds, stats.mean_acceptance_length) == (0, None)


# ── JSON ──


def test_list_of_documents_and_documents_one_after_another():
    one = json.loads(ANSWER)
    for text in (
        json.dumps([one, one, one]),
        json.dumps([one, one, one], indent=2),
        json.dumps(one, indent=2) * 3,
        "\n".join(json.dumps(one) for _ in range(3)),
        "".join(f"data: {json.dumps(one)}\n\n" for _ in range(3)),
    ):
        stats = parse(text)
        assert (stats.num_draft_tokens, stats.num_requests) == (900, 3)


def test_line_of_a_document():
    text = ANSWER.decode() + ANSWER.decode().replace('"draft_n": 300', '"draft_n": 30')
    assert refused(text).startswith(f"line {len(ANSWER.splitlines()) + 1}: ")
    broken = ANSWER.decode().replace('"draft_n": 300,', '"draft_n": 300')
    assert refused(broken).startswith("line 14 is not JSON: ") and '"draft_n_accepted"' in broken.splitlines()[13]


@pytest.mark.parametrize(
    "value",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "-1",
        '"many"',
        "true",
        "[1]",
        '{"a": 1}',
        "1e300",
        pytest.param("9" * 5000, id="5,000 digits"),
    ],
)
def test_values_that_are_no_counts(value):
    text = ROWS.decode().replace('"acc_length": 2.8,', f'"acc_length": {value},')
    assert refused(text).startswith("line 3")


def test_infinity_where_it_means_nothing_bad():
    assert parse((SAMPLES / "sglang-bench-serving.jsonl").read_bytes()).printed_length == 2.8


@pytest.mark.parametrize(
    "text",
    ['{"timings": ' * 100_000, "[" * 100_000, '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"],
    ids=["objects", "lists", "lists in an object"],
)
def test_deep_nesting(text):
    for each in (text, f'{{"predicted_n": 1}}\n{{"predicted_n": {text}\n'):
        refused(each)


# ── the last line cut off ──


@pytest.mark.parametrize(
    ("data", "cut", "kept"),
    [
        (LOG, 40, {"num_draft_tokens": 9600}),
        (ROWS, 20, {"num_speculative_tokens": 3, "printed_length": 2.8}),
        (TABLE + b"code,100,300,120,2.2,0.6,0.4,0.2\n", 12, {"num_draft_tokens": 12000}),
    ],
    ids=["log", "JSON lines", "CSV"],
)
def test_last_line_cut_off_is_left_out_with_a_note(data, cut, kept):
    stats = parse(data[:-cut])
    assert {name: getattr(stats, name) for name in kept} == kept
    last = data.count(b"\n")
    assert any(
        f"line {last}, the last one, is cut off" in note or "its last line may be cut off" in note
        for note in noted(stats)
    )
    assert not any("cut off" in note for note in noted(parse(data)))


def test_line_cut_off_in_the_middle_is_refused():
    lines = ROWS.splitlines()
    assert refused(b"\n".join([lines[0], lines[1][:-20], *lines[2:], b""])).startswith("line 2 is not JSON: ")
    assert refused(TABLE + b"code,100,300\nchat,100,300,120,2.2,0.6,0.4,0.2\n") == (
        "line 3: number of columns is 3, expected 8 as in the header"
    )


def test_line_that_cannot_be_read_is_named():
    odd = SPEC_LINE.replace("Mean acceptance length", "Average acceptance length")
    assert refused(odd) == "line 1 looks like vLLM, but it could not be read: cut off, or a version not known here"
    assert any("could not be read were left out: 6" in note for note in noted(parse(LOG.decode() + odd)))


# ── what no run can give ──


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#Mean accepted tokens:  0.5\nTokens per second:  224.0\n", "0.5 tokens per round, but each round gives one"),
        (
            "mean acceptance length: 2.80\nacceptance at token 0: 0.76\n",
            "line 1: mean acceptance length is printed as 2.8, but the counters give 1.76",
        ),
        (
            SPECFORGE.replace('"accept_length": 2.8', '"accept_length": 28.0'),
            "28 tokens per round are not possible with 3 draft tokens",
        ),
        (
            (SAMPLES / "eagle-mtbench.jsonl").read_text(encoding="utf-8").replace("[1.25]", "[1e-300]"),
            "line 1: wall_time is 1e-300, less than anything that is measured",
        ),
        (
            PAGE.decode().replace('drafts_total{engine="0",model_name="demo/target-8b"} 4000.0', "drafts_total 1e300"),
            "num_rounds comes to 1e+300, which cannot be",
        ),
    ],
)
def test_impossible_numbers_are_refused(text, said):
    assert said in refused(text)


@pytest.mark.parametrize("engine", ["lmdeploy", "trtllm"])
def test_page_without_the_family_of_speculation_is_a_baseline_and_says_so(engine):
    page = read(f"{engine}-metrics.prom")
    plain = "".join(line for line in page.splitlines(keepends=True) if "spec_decode" not in line)
    stats = parse(plain)
    assert (stats.speculation, stats.generated_tokens) == (False, 11240)
    assert noted(stats) == ["the page has no family of speculative decoding: it is switched off"]


def test_console_cut_before_the_gaps_does_not_pass_for_a_baseline_in_silence():
    console = read("vllm-bench-serve-console.txt")
    stats = parse(console.partition("-----Time per Output")[0])
    assert (stats.num_rounds, stats.num_steps) == (None, None)
    assert any("whether the run speculated cannot be told" in note for note in noted(stats))


# ── the programs ──


def run_main(capsys, *arguments: str) -> tuple[int, list[dict], str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, [json.loads(line) for line in out.splitlines()], err


def test_command_prints_json_with_a_link(capsys):
    code, (log, answer), err = run_main(
        capsys, str(SAMPLES / "vllm-log-current.log"), str(SAMPLES / "llamacpp-timings.json")
    )
    assert (code, err) == (0, "")
    assert (log["engine"], log["num_draft_tokens"], log["num_rounds"]) == ("vLLM", 19140, 6380)
    assert log["mean_acceptance_length"] == pytest.approx(2.782131661442006)
    assert log["notes"] and answer["file"].endswith("llamacpp-timings.json")
    address = urlsplit(log["link"])
    assert (address.netloc, address.path) == ("localhost:8501", "/engine")
    query = parse_qs(address.query)
    assert query["src"] == ["link"] and "plain" not in query
    stats, found = parse(LOG), unpack_stats(query["counts"][0])
    for name in ("engine", "num_rounds", "num_draft_tokens", "num_accepted_draft_tokens", "accepted_per_position"):
        assert getattr(found, name) == getattr(stats, name)


def test_command_with_a_baseline_and_another_address(capsys):
    baseline = str(SAMPLES / "vllm-bench-serve-baseline.json")
    spec = str(SAMPLES / "vllm-bench-serve-spec.json")
    code, (found,), _ = run_main(capsys, "--baseline", baseline, "--app", "https://app.example/", spec)
    assert (code, found["verdict"]) == (0, "pays")
    low, high = found["speedup_interval"]
    assert low < found["speedup"] < high and found["link"].startswith("https://app.example/engine?src=link&")
    assert unpack_stats(parse_qs(urlsplit(found["link"]).query)["base"][0]).step_ms == 9.8


def test_the_exit_code_says_whether_it_pays(capsys, tmp_path):
    """0 pays, 3 does not, 4 nobody knows; what could not be read comes first; without a baseline only that counts."""
    spec, plain = SAMPLES / "vllm-bench-serve-spec.json", SAMPLES / "vllm-bench-serve-baseline.json"
    slow, slow_plain = (MEASURED / f"smol_draft15m_k4{name}.server.log.gz" for name in ("", ".baseline"))
    unlike = tmp_path / "unlike.json"
    unlike.write_text(json.dumps({**json.loads(plain.read_bytes()), "max_concurrency": 512, "mean_tpot_ms": 90.0}))
    for run, baseline, verdict, wanted in (
        (spec, plain, "pays", 0),
        (slow, slow_plain, "does_not_pay", 3),
        (spec, unlike, "not_comparable", 4),
    ):
        code, (found,), _ = run_main(capsys, "--baseline", str(baseline), str(run))
        assert (found["verdict"], code) == (verdict, wanted)
    assert run_main(capsys, "--baseline", str(slow_plain), str(slow), str(tmp_path / "none"))[0] == 1
    assert run_main(capsys, str(slow))[0] == 0


def test_the_rules_of_a_run_hold_its_break_even_and_link(capsys, tmp_path):
    spec, plain = SAMPLES / "vllm-bench-serve-spec.json", SAMPLES / "vllm-bench-serve-baseline.json"
    rules, board = tmp_path / "rules.yml", tmp_path / "board.json"
    code, (found,), _ = run_main(
        capsys, "--baseline", str(plain), "--rules", str(rules), "--dashboard", str(board), "--tpot", "25",
        "--model", "m", str(spec),
    )  # fmt: skip
    assert code == 0
    alerts = {each["alert"]: each for each in yaml.safe_load(rules.read_text())["groups"][1]["rules"]}
    case = engine.answer(engine.EngineRun(parse(spec.read_bytes()), parse(plain.read_bytes()))).case
    assert case.rho and alerts["SpeculationLoses"]["expr"].endswith(f"< {case.rho / 1.02:.4g}")
    assert alerts["SlowTokensWhileSpeculating"]["annotations"]["runbook_url"] == found["link"]
    assert json.loads(board.read_text())["title"].endswith(": m")
    code, _, err = run_main(capsys, "--rules", str(rules), "--tpot", "-1", str(spec))
    assert code == 1 and "-1 ms" in err


def test_command_prints_a_table(capsys):
    assert main(["--table", str(SAMPLES / "vllm-log-current.log")]) == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line.strip()]
    table = {name: value for name, value in rows if name != "note"}
    assert (table["engine"], table["num_draft_tokens"]) == ("vLLM", "19140")
    assert table["link"].startswith("http://localhost:8501/engine?")
    assert any(name == "note" for name, _ in rows)


def test_command_reads_standard_input(capsys, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(LOG))

    monkeypatch.setattr(sys, "stdin", Stdin())
    code, (found,), _ = run_main(capsys, "-")
    assert (code, found["label"], found["num_draft_tokens"]) == (0, "stdin", 19140)


def test_command_tells_what_it_could_not_read_and_goes_on(capsys, tmp_path):
    (tmp_path / "empty.log").write_bytes(b"")
    missing, empty, good = tmp_path / "none.log", tmp_path / "empty.log", SAMPLES / "vllm-log-current.log"
    code, found, err = run_main(capsys, str(missing), str(empty), str(tmp_path), str(good))
    assert (code, len(found)) == (1, 1)
    said = err.splitlines()
    assert said[0].startswith(f"{missing}: ") and "No such file" in said[0]
    assert said[1] == f"{empty}: the file is empty"
    assert said[2].startswith(f"{tmp_path}: ")


def test_command_fails_where_the_baseline_cannot_be_read(capsys, tmp_path):
    code, found, err = run_main(capsys, "--baseline", str(tmp_path / "none"), str(SAMPLES / "vllm-log-current.log"))
    assert code == 1 and len(found) == 1 and "none: " in err


def worker(data: bytes, name: str = "a.log") -> tuple[Any, str]:
    done = subprocess.run(
        [sys.executable, "-m", "specmodel.logs._worker", name, "60", str(2**31)],
        input=data,
        capture_output=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    return pickle.loads(done.stdout), done.stderr.decode()


def test_worker_gives_stats_or_the_message():
    (stats, text), told = worker(LOG + b"x\n" * 2**22)
    assert text is None and isinstance(stats, SpecStats) and alike(stats, parse(LOG)) and stats.label == "a.log"
    assert told.split() and [int(each) for each in told.split()] == sorted(map(int, told.split()))
    message, _ = worker(b"nothing")
    assert isinstance(message, Message) and str(message) == refused(b"nothing")
