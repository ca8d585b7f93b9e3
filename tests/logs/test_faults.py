"""Files that once broke something, found by changing samples: a refusal that names the value, or the right answer."""

import math
from pathlib import Path

import pytest

from specmodel.logs import LogError, parse

FAULTS = Path(__file__).parent / "samples" / "faults"
# file -> what it is, and what is said
REFUSED = {
    "exllama-time-1e-320.json": (
        "a time so short that rates by it are infinite",
        "line 1: time_generate is 1e-320, less than anything that is measured",
    ),
    "vllm-bench-tpot-1e-320.json": (
        "a time per token so short that tokens per step were infinite, and shares of groups 0 ÷ 0",
        "line 1: mean_tpot_ms is 1e-320, less than anything that is measured",
    ),
    "llamacpp-metrics-rounds-of-nothing.prom": (
        "counters too large to be printed exactly, of which one does not go with the others",
        "line 15: accepted by position adds up to 3,040, but 7,200 were accepted (3,040)",
    ),
    "vllm-log-accepted-length.log": (
        "lines of speculation in other words, without which a log passed for a baseline",
        "the file has lines of vLLM's speculation that could not be read (2): what is left would pass for a run "
        "without speculation, and so it is no baseline either",
    ),
    "tgi-metrics-no-steps.prom": (
        "accepted tokens of no step, which were divided by",
        "line 3: 7,200 drafts accepted in no round",
    ),
}
# file -> what it is, and the tokens per round that are right
READ = {
    "aiperf-thousand-drafts.json": ("a k of 1,000, whose positions fill a link", 2.8),
    "spec-bench-thousand-drafts.jsonl": ("one round of 1,024 drafts, which was slow", 1041 / 6),
}


def test_every_file_is_told_of() -> None:
    assert {path.name for path in FAULTS.iterdir()} == {*REFUSED, *READ}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_value(name: str) -> None:
    with pytest.raises(LogError) as caught:
        parse((FAULTS / name).read_bytes())
    assert str(caught.value) == REFUSED[name][1]


@pytest.mark.parametrize("name", READ)
def test_read(name: str) -> None:
    stats = parse((FAULTS / name).read_bytes())
    assert stats.mean_acceptance_length is not None and math.isclose(stats.mean_acceptance_length, READ[name][1])


@pytest.mark.parametrize("value", ["1e-320", "5e-13", "1e400", "Infinity", "NaN", "1e16"])
def test_numbers_that_no_engine_can_have_printed_are_named(value: str) -> None:
    text = (FAULTS / "exllama-time-1e-320.json").read_text(encoding="utf-8").replace("1e-320", value)
    with pytest.raises(LogError, match="line 1: time_generate is "):
        parse(text)
    page = "# TYPE lmdeploy:generation_tokens_total counter\nlmdeploy:generation_tokens_total "
    with pytest.raises(LogError, match=r"lmdeploy:generation_tokens_total is |generated_tokens comes to "):
        parse(f"{page}{value}\n")


def test_more_tokens_per_step_than_a_round_can_have_are_refused() -> None:
    bench = (FAULTS / "vllm-bench-tpot-1e-320.json").read_text(encoding="utf-8").replace("1e-320", "1e-9")
    with pytest.raises(LogError, match="tokens per decoding step are not possible"):
        parse(bench)


def test_a_printed_number_that_nothing_can_be_is_refused() -> None:
    page = (FAULTS.parent / "trtllm-metrics.prom").read_text(encoding="utf-8")
    assert "_draft_overhead{" in page
    lines = [each.rpartition(" ")[0] + " 1e30" if "_draft_overhead{" in each else each for each in page.splitlines()]
    with pytest.raises(LogError, match=r"draft_overhead.* 1e\+30"):
        parse("\n".join(lines) + "\n")


def test_a_number_in_another_form_is_not_read_as_its_beginning() -> None:
    log = (FAULTS.parent / "vllm-log-current.log").read_text(encoding="utf-8")
    assert "Drafted throughput: 960.00" in log
    stats = parse(log.replace("Drafted throughput: 960.00", "Drafted throughput: 1e-300"))
    assert stats.window_s is None or stats.window_s < 100


def test_two_throughputs_of_one_window_have_to_agree() -> None:
    log = (FAULTS.parent / "vllm-log-current.log").read_text(encoding="utf-8")
    with pytest.raises(LogError, match="9,600 tokens drafted at 96 a second and 5,760 accepted at 576 are not of one"):
        parse(log.replace("Drafted throughput: 960.00", "Drafted throughput: 96.00"))


def test_an_acceptance_of_zero_beside_another_column_is_no_error() -> None:
    table = "subset,accepted,mean_tokens,acceptance_length,acceptance_rate\ncoding,7200,4000,0,0.76\n"
    header = (
        "subset,num_drafts,num_draft_t,num_accepted_tokens,acceptance_length,acceptance_at_pos_0,acceptance_at_posW1"
    )
    for text in (table, f"{header},acceptance_at_pos_2\ncoding,4000,12000,7200,0,0.76,0.59,0.45\n"):
        with pytest.raises(LogError):
            parse(text)
