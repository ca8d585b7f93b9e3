"""llama.cpp: logs of llama-server, the end print of example programs, rows of mtp-bench.py."""

import numpy as np
import pytest

from specmodel.logs import LogError, parse
from specmodel.measured.spec_stats import SpecStats
from tests.conftest import SAMPLES
from tests.logs.shared import EXPECTED, decode_ms, read, real, sample

REAL = SAMPLES / "llama_server_real"
RUNS = ("smol_draft15m_k4", "gemma_ngram_simple")


def units(stats: SpecStats) -> list[list[float]]:
    assert stats.units is not None and stats.units.kind == "requests"
    rows: list[list[float]] = stats.units.counts.tolist()
    return rows


def request(task: int, drafted: int, accepted: int, length: float, rates: str = "", slot: int = 0) -> list[str]:
    head = f"0.05.000.000 I slot print_timing: id  {slot} | task {task} | "
    lines = [
        "prompt eval time =     100.00 ms /    50 tokens (    2.00 ms per token,   500.00 tokens per second)",
        "       eval time =    1000.00 ms /   101 tokens (   10.00 ms per token,   100.00 tokens per second)",
        "      total time =    1100.00 ms /   151 tokens",
    ]
    if drafted:
        lines.append(
            f"draft acceptance = {accepted / drafted:.5f} ({accepted:5d} accepted / {drafted:5d} generated), "
            f"mean len = {length:5.2f}"
        )
    return [head + line for line in lines] + ([f"{head}     acc per pos = ({rates})"] if rates else [])


def statistics(name: str, drafts: int, hits: int, drafted: int, accepted: int, ms: float = 10.0) -> str:
    return (
        f"0.05.000.001 I spec common_specu: statistics {name:>16}: #calls(b,g,a) = 1 {drafts} {drafts}, #gen drafts = "
        f"{drafts:6d}, #acc drafts = {hits:5d}, #gen tokens = {drafted:6d}, #acc tokens = {accepted:5d}, "
        f"dur(b,g,a) = 0.001, {ms:.3f}, 0.018 ms"
    )


def log(*lines: str) -> SpecStats:
    return parse("\n".join(lines) + "\n")


def test_current_log_gives_all_that_is_expected():
    stats, expected = sample("llamacpp-log-current.log"), EXPECTED["llamacpp-log-current.log"]
    assert (stats.engine, stats.version, stats.speculation, stats.estimated) == ("llama.cpp", "b10424+", True, False)
    assert stats.num_draft_tokens == expected["proposed"]
    assert stats.num_accepted_draft_tokens == expected["accepted"]
    assert stats.num_rounds == expected["rounds"]
    assert stats.num_speculative_tokens == expected["k"]
    assert stats.mean_acceptance_length == pytest.approx(expected["al_incl_bonus"])
    assert stats.per_position_acceptance == pytest.approx(expected["per_pos"])
    assert stats.draft_ms == pytest.approx(expected["draft_ms_per_round"])
    assert stats.step_ms == pytest.approx(expected["step_ms"])
    assert stats.verify_ms == pytest.approx(expected["verify_ms"])
    assert (stats.generated_tokens, stats.num_steps, stats.num_requests) == (281, 100, 1)
    assert stats.tokens_per_step == pytest.approx(2.8)
    assert stats.tpot_ms == pytest.approx(2525 / 280)
    assert stats.ttft_ms == 233.1 and stats.request_ms == pytest.approx(2758.1)
    assert [(each.name, each.definition) for each in stats.printed] == [
        ("draft acceptance", "accepted_per_drafted"),
        ("mean len", "length_with_bonus"),
    ]
    assert units(stats) == [[100, 300, 180, 76, 59, 45]]


def test_log_of_june_2026():
    stats, expected = sample("llamacpp-log-2026-06.log"), EXPECTED["llamacpp-log-2026-06.log"]
    assert stats.version == "b9692+"
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (expected["proposed"], expected["accepted"])
    assert stats.num_rounds == expected["rounds"]
    assert stats.mean_acceptance_length == pytest.approx(expected["al_incl_bonus"])
    assert stats.per_position_acceptance == pytest.approx(expected["per_pos"])
    assert stats.generated_tokens is None and stats.step_ms is None


def test_old_log_has_three_reports():
    stats, expected = sample("llamacpp-log-old.log"), EXPECTED["llamacpp-log-old.log"]
    assert stats.num_draft_tokens == expected["request_line"]["proposed"]
    assert stats.num_accepted_draft_tokens == expected["request_line"]["accepted"]
    assert stats.num_rounds is None and stats.version is None
    assert not stats.parts_are_settings
    for part in stats.parts:
        wanted = expected[part.label]
        found = [part.num_draft_tokens, part.num_accepted_draft_tokens, part.num_rounds]
        assert found == [wanted["proposed"], wanted["accepted"], wanted["rounds"]]
    simple, mod = stats.parts
    assert simple.printed[0].value == expected["ngram_simple"]["rounds_with_accept"]
    assert simple.draft_ms is None
    assert mod.draft_ms == pytest.approx(expected["ngram_mod"]["draft_ms_total"] / 26)


@pytest.mark.parametrize("run", RUNS)
def test_real_log_says_the_same_as_metrics(run):
    stats, scraped = parse(real(f"{run}.server.log")), parse(real(f"{run}.metrics.prom"))
    assert stats.source != scraped.source
    for name in ("num_draft_tokens", "num_accepted_draft_tokens", "num_rounds", "accepted_per_position",
                 "generated_tokens", "num_speculative_tokens", "batch_size"):  # fmt: skip
        assert getattr(stats, name) == getattr(scraped, name), name
    assert decode_ms(stats) == pytest.approx(decode_ms(scraped), rel=1e-5)
    assert not stats.estimated and stats.notes == ()
    assert (stats.num_steps or 0) + (stats.num_requests or 0) == scraped.num_steps


def test_real_log_of_a_draft_model():
    stats = parse(real("smol_draft15m_k4.server.log"))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (1220, 4828, 259)
    assert stats.accepted_per_position == (198, 41, 13, 7)
    assert (stats.num_requests, stats.generated_tokens, stats.num_steps) == (18, 1506, 1229)
    assert stats.draft_ms == pytest.approx(6690.5 / 1220)
    assert (stats.verify_ms or 0) * 1229 == pytest.approx(decode_ms(stats) - 6690.5)
    assert len(units(stats)) == 18
    assert [sum(column) for column in zip(*units(stats), strict=True)] == [1220, 4828, 259, 198, 41, 13, 7]


@pytest.mark.parametrize("run", [*RUNS, "gemma_draft_smollm2_k4"])
def test_real_baseline_log(run):
    stats, scraped = parse(real(f"{run}.baseline.server.log")), parse(real(f"{run}.baseline.metrics.prom"))
    assert not stats.speculation and not scraped.speculation
    assert stats.num_speculative_tokens is None and stats.accepted_per_position is None and stats.units is None
    assert stats.generated_tokens == scraped.generated_tokens
    assert stats.num_steps == (stats.generated_tokens or 0) - (stats.num_requests or 0)
    assert stats.step_ms == pytest.approx(stats.tpot_ms)
    assert decode_ms(stats) == pytest.approx(decode_ms(scraped), rel=1e-5)


def test_server_that_could_not_start_its_draft_model_says_so():
    stats = parse(real("gemma_draft_smollm2_k4.server.log"))
    assert stats.speculation and stats.num_speculative_tokens == 4
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (0, 0, 0)
    assert "line 832" in str(stats.notes[0]) and "vocab type must match" in str(stats.notes[0])
    assert stats.mean_acceptance_length is None
    assert stats.generated_tokens == parse(real("gemma_draft_smollm2_k4.metrics.prom")).generated_tokens


@pytest.mark.parametrize("run", RUNS)
def test_without_statistics_the_rounds_come_from_lengths_and_positions(run):
    text = "\n".join(line for line in real(f"{run}.server.log").splitlines() if "statistics" not in line)
    exact, found = parse(real(f"{run}.server.log")), parse(text)
    off = np.array(units(found)) - np.array(units(exact))
    assert abs(off[:, 0]).max() <= 1 and abs(off[:, 1:]).max() == 0
    assert found.estimated == bool(off.any())
    assert found.accepted_per_position == exact.accepted_per_position
    assert found.draft_ms is None


def test_at_normal_verbosity_the_rounds_are_estimated_and_near():
    text = "\n".join(
        line for line in real("smol_draft15m_k4.server.log").splitlines()
        if "statistics" not in line and "acc per pos" not in line
    )  # fmt: skip
    found = parse(text)
    assert found.estimated and found.num_rounds == pytest.approx(1220, rel=0.02)
    assert "2 decimals" in str(found.notes[0])
    assert found.accepted_per_position is None


def test_slots_take_turns():
    first, second = request(7, 300, 180, 2.8, slot=0), request(9, 48, 12, 1.75, slot=3)
    mixed = [line for pair in zip(first, second, strict=True) for line in pair]
    stats = log(*mixed)
    assert (stats.num_requests, stats.generated_tokens) == (2, 202)
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds) == (348, 192, 116)
    plain = log(*first, *second)
    assert units(stats) == units(plain)
    assert stats.pace and plain.pace and stats.pace.counts.tolist() == plain.pace.counts.tolist()
    assert stats.replace(units=None, pace=None) == plain.replace(units=None, pace=None)


def test_drafting_time_is_not_taken_off_where_slots_share_it():
    stats = log(*request(7, 300, 180, 2.8), statistics("draft-mtp", 100, 76, 300, 180),
                *request(9, 48, 12, 1.75, slot=3), statistics("draft-mtp", 116, 84, 348, 192))  # fmt: skip
    assert stats.num_rounds == 116 and stats.draft_ms == pytest.approx(10 / 116) and stats.verify_ms is None


def test_request_without_a_draft_counts_as_steps():
    stats = log(*request(1, 300, 180, 2.8), *request(2, 0, 0, 0))
    assert (stats.num_requests, stats.generated_tokens, stats.num_rounds) == (2, 202, 100)
    assert stats.num_steps == 100 + 100
    assert [row[0] for row in units(stats)] == [100, 0]


def test_last_round_may_count_more_than_was_kept():
    lines = [line.replace("/   101 tokens", "/     5 tokens") for line in request(1, 8, 8, 9.0)]
    stats = log(*lines)
    assert (stats.num_rounds, stats.num_steps, stats.generated_tokens) == (1, 1, 5)


def test_nothing_accepted_leaves_rounds_unknown_without_statistics():
    lines = request(1, 150, 0, 1.0, "0.000, 0.000, 0.000")
    stats = log(*lines)
    assert stats.num_rounds is None and stats.accepted_per_position == (0, 0, 0)
    assert "line 4" in str(stats.notes[0])
    assert log(*lines, statistics("draft-mtp", 52, 0, 150, 0)).num_rounds == 52


def test_nothing_accepted_but_all_passes_full():
    assert log(*request(1, 300, 0, 1.0, "0.000, 0.000, 0.000")).num_rounds == 100


def test_statistics_win_over_the_length():
    lines = request(1, 4000, 2400, 2.8)
    assert log(*lines).estimated
    stats = log(*lines, statistics("draft-mtp", 1337, 1000, 4000, 2400))
    assert stats.num_rounds == 1337 and not stats.estimated


def test_log_that_starts_later_uses_what_the_statistics_rose_by():
    before = statistics("draft-mtp", 5000, 4000, 15000, 9000)
    lines = request(1, 4000, 2400, 2.8)
    stats = log(before, *lines, statistics("draft-mtp", 6337, 5000, 19000, 11400))
    assert stats.num_rounds == 1337 and not stats.estimated


def test_several_ways_of_drafting_are_parts_and_their_drafts_add_up():
    stats = log(*request(1, 300, 180, 2.8), statistics("ngram-mod", 20, 20, 60, 40, 1.0),
                statistics("draft-mtp", 80, 56, 240, 140, 9.0))  # fmt: skip
    assert stats.num_rounds == 100 and stats.draft_ms == pytest.approx(0.1)
    assert [(each.label, each.num_rounds) for each in stats.parts] == [("ngram-mod", 20), ("draft-mtp", 80)]


def test_statistics_alone():
    stats = log(statistics("draft-mtp", 100, 76, 300, 180, 325.5))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert stats.draft_ms == pytest.approx(3.255)


def test_thrown_away_drafts_are_no_rounds():
    line = (
        "spec common_specu: statistics draft-mtp: #calls(b,g,a) = 1 120 100, #gen drafts = 120, #acc drafts = 76, "
        "#gen tokens = 300, #acc tokens = 180, #mean acc len = 2.80, #acc rate/pos = (0.760, 0.590, 0.450)"
    )
    assert log(line).num_rounds == 100
    with pytest.raises(LogError, match=r"line 1: #mean acc len is 2.9, but 180 tokens were accepted of 120 drafts"):
        log(line.replace("2.80", "2.90"))


def test_restarted_server_starts_its_statistics_anew():
    setup = "0.00.242.711 I srv    load_model: initializing, n_slots = 1, n_ctx_slot = 8192, kv_unified = 'true'"
    one = [*request(1, 300, 180, 2.8, "0.760, 0.590, 0.450"), statistics("draft-mtp", 100, 76, 300, 180)]
    two = [*request(1, 150, 90, 2.8, "0.760, 0.580, 0.460"), statistics("draft-mtp", 50, 38, 150, 90)]
    for lines in ((*one, *two), (setup, *one, setup, *two)):
        stats = log(*lines)
        assert (stats.num_rounds, stats.num_requests, stats.generated_tokens) == (150, 2, 202)
        assert stats.accepted_per_position == (114, 88, 68)
        assert stats.draft_ms == pytest.approx(20 / 150)
        assert not stats.estimated and stats.parts == ()


def test_servers_with_other_settings_are_not_added_up():
    setup = "0.00.242.711 I srv    load_model: initializing, n_slots = 1, n_ctx_slot = 8192, kv_unified = 'true'"
    stats = log(setup, *request(1, 0, 0, 0), setup, *request(1, 300, 180, 2.8, "0.760, 0.590, 0.450"))
    assert stats.parts_are_settings and stats.speculation
    assert [(each.label, each.speculation, each.generated_tokens) for each in stats.parts] == [
        ("k = 0", False, 101),
        ("k = 3", True, 101),
    ]


def test_router_tells_servers_apart_by_port():
    lines = [f"[49965] {line}" for line in request(1, 300, 180, 2.8)]
    lines += [f"[45927] {line}" for line in request(1, 48, 12, 1.75)]
    stats = log(*lines)
    assert stats.parts_are_settings
    assert [(each.label, each.num_draft_tokens) for each in stats.parts] == [
        ("[49965], k = 3", 300),
        ("[45927], k = 3", 48),
    ]


def test_lines_without_slots_of_older_builds():
    stats = log(
        "slot print_timing: id  0 | task 0 | ",
        "prompt eval time =     233.10 ms /   512 tokens (    0.46 ms per token,  2196.48 tokens per second)",
        "       eval time =    2525.00 ms /   281 tokens (    8.99 ms per token,   111.29 tokens per second)",
        "      total time =    2758.10 ms /   793 tokens",
        "draft acceptance rate = 0.60000 (  180 accepted /   300 generated)",
        "slot print_timing: id  0 | task 1 | ",
        "prompt eval time =     233.10 ms /   512 tokens (    0.46 ms per token,  2196.48 tokens per second)",
        "       eval time =    2525.00 ms /   281 tokens (    8.99 ms per token,   111.29 tokens per second)",
        "      total time =    2758.10 ms /   793 tokens",
    )
    assert (stats.num_requests, stats.num_draft_tokens, stats.num_steps) == (2, 300, 380)
    assert stats.tpot_ms == pytest.approx(5050 / 560)


def test_fork_with_its_own_timing_lines():
    tail = '| tid="1" timestamp=1742422435 id_slot=0 id_task=753 t_token=1'
    stats = log(
        f"INFO [           print_timings] prompt eval time     =    2078.89 ms /   190 tokens (   10.94 ms) {tail}",
        f"INFO [           print_timings] generation eval time =  107381.01 ms /  1557 runs   (   68.97 ms) {tail}",
    )
    assert not stats.speculation and stats.generated_tokens == 1557
    assert stats.step_ms == pytest.approx(107381.01 / 1556)


def test_line_of_builds_between_has_no_length():
    stats = log("slot print_timing: id  2 | task 495 | draft acceptance = 0.88546 ( 3610 accepted /  4077 generated)")
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds) == (4077, 3610, None)


def test_limit_of_the_setup_is_k():
    setup = "0.00.616.740 I spec common_specu: - n_max=6, n_min=0, p_min=0.750000"
    assert log(setup, *request(1, 300, 180, 2.8)).num_speculative_tokens == 6
    added = "0.00.616.740 I spec common_specu: adding speculative implementation 'ngram-cache'"
    assert log(added, added, setup, *request(1, 310, 180, 2.8)).num_speculative_tokens is None


def test_equal_rates_never_rise():
    stats = log(*request(1, 400, 101, 2.01, "0.300, 0.250, 0.250, 0.210"))
    assert stats.num_rounds == 100 and stats.accepted_per_position == (30, 25, 25, 21)


def test_text_of_requests_is_not_read():
    stats = log(
        'srv  log_server_r: request: {"content":"draft acceptance = 0.50000 (    1 accepted /     2 generated)"}',
        *request(1, 300, 180, 2.8),
    )
    assert stats.num_requests == 1 and stats.notes == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.60000", "0.70000", r"line 5: draft acceptance is printed as 0.7, but the counters give 0.6"),
        ("mean len =  2.80", "mean len =  2.10", r"line 5: no number of rounds gives a mean length of 2.1 with 180"),
        ("  180 accepted", "  380 accepted", r"line 5: draft acceptance is printed as 0.6"),
        ("0.760, 0.590, 0.450)\n", "0.590, 0.760, 0.450)\n", r"line 5: accepted by position may never rise"),
        ("#acc tokens =   180", "#acc tokens =   380", r"line 7: #mean acc len is 2.8, but 380 tokens"),
    ],
)
def test_contradictions_are_refused(old, new, message):
    text = read("llamacpp-log-current.log")
    assert old in text
    with pytest.raises(LogError, match=message):
        parse(text.replace(old, new))


def test_more_accepted_than_drafted_is_refused():
    with pytest.raises(LogError, match=r"line 1: 4 accepted draft tokens are more than the 3 drafted"):
        log("draft acceptance rate = 1.33333 (    4 accepted /     3 generated)")


def test_cut_off_line_is_named():
    with pytest.raises(LogError, match=r"line 1 looks like llama\.cpp"):
        log("slot print_timing: id  0 | task 0 | draft acceptance = 0.60000 (  180 acc")


def test_example_program():
    stats, expected = sample("llamacpp-speculative-simple.txt"), EXPECTED["llamacpp-speculative-simple.txt"]
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (expected["proposed"], expected["accepted"])
    assert stats.num_speculative_tokens == expected["k_max"]
    assert stats.num_steps == expected["target_steps"]
    assert stats.tokens_per_step == pytest.approx(expected["tokens_per_step"])
    assert stats.output_tokens_per_s == expected["output_tps"]
    assert stats.draft_acceptance_rate == pytest.approx(expected["rate"])
    assert stats.step_ms == pytest.approx(25.0) and stats.num_rounds is None and stats.draft_ms is None


PERF = (
    "{0}        load time =     100.00 ms",
    "{0} prompt eval time =      50.00 ms /   110 tokens (    0.45 ms per token,  2200.00 tokens per second)",
    "{0}        eval time =    {1} ms /   {2} runs   (    1.01 ms per token,   990.10 tokens per second)",
    "{0}       total time =    2600.00 ms /   410 tokens",
)


@pytest.mark.parametrize("name", ["llama_perf_context_print:", "llama_print_timings:"])
def test_example_program_with_the_times_of_both_contexts(name):
    text = read("llamacpp-speculative-simple.txt")
    draft = "\n".join(PERF).format(name, "303.00", 300)
    target = "\n".join(PERF).format(name, "22.00", 1)
    stats = parse(text.replace("draft:\n", f"draft:\n\n{draft}\n").replace("target:\n", f"target:\n\n{target}\n"))
    assert stats.draft_ms == pytest.approx(3.0) and stats.verify_ms == pytest.approx(22.0)
    assert all("left out" not in str(each) for each in stats.notes)


def test_example_programs_with_different_k_are_settings():
    text = read("llamacpp-speculative-simple.txt")
    stats = parse(text + text + text.replace("n_draft   = 3", "n_draft   = 5"))
    assert stats.parts_are_settings and stats.num_draft_tokens == 600
    assert [(each.label, each.num_draft_tokens) for each in stats.parts] == [("k = 3", 600), ("k = 5", 300)]


def test_example_program_that_contradicts_itself():
    text = read("llamacpp-speculative-simple.txt")
    with pytest.raises(LogError, match=r"line 9: accept is printed as 0.61, but the counters give 0.6"):
        parse(text.replace("60.000%", "61.000%"))
    with pytest.raises(LogError, match=r"line 3: n_predict is printed as 280, but the counters give 281"):
        parse(text.replace("n_predict = 281", "n_predict = 280"))


def test_mtp_bench():
    stats, expected = sample("llamacpp-mtp-bench.txt"), EXPECTED["llamacpp-mtp-bench.txt"]
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (expected["proposed"], expected["accepted"])
    assert stats.draft_acceptance_rate == pytest.approx(expected["rate"])
    assert len(stats.parts) == stats.num_requests == expected["rows"]
    assert [(each.label, each.num_steps, each.output_tokens_per_s) for each in stats.parts] == [
        ("code_python", 53, 17.7),
        ("qa_factual", 71, 14.9),
    ]
    assert stats.window_s == 24.11 and stats.output_tokens_per_s == pytest.approx(384 / 24.11)
    assert (stats.generated_tokens, stats.num_steps, stats.num_rounds) == (384, 124, None)


def test_mtp_bench_without_speculation():
    stats = log("  code_python        pred= 192 draft=   0 acc=   0 rate=n/a tok/s=7.1")
    assert not stats.speculation and stats.num_steps == 191 and stats.output_tokens_per_s == 7.1


def test_mtp_bench_that_contradicts_itself():
    text = read("llamacpp-mtp-bench.txt")
    with pytest.raises(LogError, match=r"line 1: rate is printed as 0.757, but the counters give 0.657"):
        parse(text.replace("0.657", "0.757"))
    with pytest.raises(LogError, match=r"line 7: total_draft is printed as 457, but the counters give 456"):
        parse(text.replace('"total_draft": 456', '"total_draft": 457'))
