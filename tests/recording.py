"""What every page shows for many links, recorded, so that a change of structure can be held to what was shown before.

    python tests/recording.py record FILE     opens every link and writes what its page shows
    python tests/recording.py compare A B     names what two recordings show differently; fails if there is anything

A recording holds, for each link, the elements of the page and the sidebar in their order: texts, cards, tables, chart
data, labels and values of controls. What Streamlit makes up (identifiers, hashes) is left out.
"""

import difflib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("STREAMLIT_SERVER_FILE_WATCHER_TYPE", "none")

from streamlit.testing.v1 import AppTest  # noqa: E402

FRAME = next((ROOT / "specmodel" / "dashboard").rglob("frame.py"))
SAMPLES = next(ROOT.glob("tests/**/samples"))
MADE_UP = {"id", "formId", "anchor", "elementHash", "url", "urlPathname", "deferredFileId", "page", "pageScriptHash"}
Case = tuple[str, str, Mapping[str, str]]
"""Name of the page, language, query; the query's `paste` and `paste_plain` are files pasted into the engine page."""

EXPLORE = ("speedup", "draft_length", "vocabulary")
SCENARIOS: tuple[Mapping[str, str], ...] = (
    {},
    {"alpha": "0.55", "k": "2", "pin": "alpha:0.2,k:16"},
    {"k": "64", "alpha": "0.99", "show": "time_ratio"},
    {"k": "0"},
    {"overhead": "5000"},
    {"tokens": "1000000", "target": "0.001", "draft": "0", "verify": "0"},
)
PASTED = (
    "vllm-log-current.log", "vllm-bench-serve-spec.json", "sglang-decode-log-current.log", "llamacpp-log-current.log",
    "trtllm-bench-report.json", "mlc-metrics.json", "lmdeploy-log.log", "spec-bench.jsonl", "vllm-metrics-t1.prom",
    "sglang-bench-serving.jsonl", "aiperf-spec-decode-record.json", "llamacpp-speed-bench.json",
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Presets, extremes, both languages, engine samples, lessons with their guesses given."""
    for page in EXPLORE:
        yield from ((page, "en-US", query) for query in SCENARIOS)
        yield page, "ja-JP", {"alpha": "0.7", "pin": "alpha:0.3"}
    yield "speedup", "en-US", {"run": "pair"}
    yield "speedup", "ja-JP", {"run": "lookup_timed", "drafts": "3"}
    yield "vocabulary", "en-US", {"to": "llama3", "from": "qwen3", "by": "freq_overlap_code"}
    for query in (
        {},
        {"cost": "points", "k": "3", "pin": "k:1"},
        {"cost": "fit", "rps": "2"},
        {"llm": "qwen3_235b_a22b"},
    ):
        yield "serving", "en-US", query
    yield "serving", "ja-JP", {"drafting": "parallel", "batch": "64", "ctx": "32768", "price": "2"}
    for query in ({}, {"kind": "code", "sampling": "1", "sort": "one"}, {"only": "lossless", "look": "medusa"}):
        yield "methods", "en-US", query
    yield "methods", "ja-JP", {"batch": "32", "look": "mtp"}
    for example in ("draft15m", "ngram", "misfit"):
        yield "engine", "en-US", {"example": example}
    yield "engine", "ja-JP", {"example": "ngram", "mix": "1, 2, 1, 0, 0, 1"}
    yield "engine", "en-US", {"src": "hand", "rate": "60 %", "drafted": "3"}
    yield (
        "engine",
        "ja-JP",
        {"src": "hand", "rate": "0.8, 0.6, 0.4", "reads": "per_position", "plain": "20", "took": "30"},
    )
    for name in PASTED:
        yield "engine", "en-US", {"src": "paste", "paste": name}
    pair = {"paste": "vllm-bench-serve-spec.json", "paste_plain": "vllm-bench-serve-baseline.json"}
    yield "engine", "ja-JP", {"src": "paste", **pair}
    for page in ("one_round", "exactness", "live_text", "drift"):
        yield page, "en-US", {"guess": "0"}
        yield page, "ja-JP", {"guess": "0"}
    yield "one_round", "en-US", {"guess": "0", "seed": "7", "round": "2", "stage": "3"}
    yield "exactness", "en-US", {"guess": "0", "dists": "edit", "probs": "6_4,3_3,1_3"}
    yield "exactness", "ja-JP", {"guess": "0", "dists": "text"}
    yield "live_text", "en-US", {"guess": "0", "textdraft": "lookup", "textkind": "code"}
    yield "live_text", "ja-JP", {"guess": "0", "textkind": "japanese", "k": "8"}
    yield "drift", "en-US", {"guess": "0", "workload": "own", "rules": "fixed_goodput"}
    yield "drift", "en-US", {"guess": "1"}


def opened(case: Case) -> AppTest:
    page, locale, query = case
    app = AppTest.from_file(str(FRAME), default_timeout=60)
    app.context = {"locale": locale}
    for key, value in query.items():
        if not key.startswith("paste"):
            app.query_params[key] = value
    app.run()
    if page != "speedup":
        app.switch_page(str(ROOT / "pages" / f"{page}.py")).run()
    for key, box in (("paste", "pasted"), ("paste_plain", "pasted_plain")):
        if key in query:
            app.text_area(key=box).set_value((SAMPLES / query[key]).read_text(encoding="utf-8")).run()
    return app


def shown(app: AppTest) -> list[Any]:
    """The elements of the page and the sidebar: kind and content of each."""
    return [content(element) for root in (app.main, app.sidebar) for element in root]


def content(element: Any) -> dict[str, Any]:
    proto = getattr(element, "proto", None)
    plain = cleaned(MessageToDict(proto)) if proto is not None and hasattr(proto, "DESCRIPTOR") else {}
    found = {"kind": element.type, **plain}
    if element.type in ("table", "arrow_data_frame", "arrow_table"):
        frame = element.value
        found = {"kind": "table", "columns": list(map(str, frame.columns)), "rows": frame.astype(str).values.tolist()}
    if '"query"' in found.get("json", ""):
        link = json.loads(found["json"])  # the order of a link's values means nothing
        found["json"] = {**link, "query": sorted(link["query"].split("&"))}
    if "spec" in found:
        found["spec"] = json.loads(found["spec"])
    return found


def cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: cleaned(item) for key, item in value.items() if key not in MADE_UP}
    return [cleaned(item) for item in value] if isinstance(value, list) else value


def record(path: Path) -> int:
    found = {}
    for case in cases():
        page, locale, query = case
        app = opened(case)
        name = f"{page} {locale} " + "&".join(f"{key}={value}" for key, value in query.items())
        found[name] = shown(app)
        print(f"{len(found):3} {len(found[name]):4} {'EXCEPTION ' if app.exception else ''}{name}", flush=True)
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True), encoding="utf-8")
    return 0


def as_lines(recorded: Any) -> list[str]:
    return json.dumps(recorded, indent=1, ensure_ascii=False, sort_keys=True).splitlines()


def compare(before: Path, after: Path) -> int:
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    differing = [name for name in old.keys() | new.keys() if old.get(name) != new.get(name)]
    for name in sorted(differing):
        print(f"\n=== {name}")
        lines = difflib.unified_diff(as_lines(old.get(name)), as_lines(new.get(name)), lineterm="", n=2)
        print("\n".join(line[:300] for line in lines))
    print(f"\n{len(old)} links before, {len(new)} after, {len(differing)} of them differ.")
    return min(len(differing), 1)


if __name__ == "__main__":
    command, *files = sys.argv[1:]
    raise SystemExit(record(Path(files[0])) if command == "record" else compare(Path(files[0]), Path(files[1])))
