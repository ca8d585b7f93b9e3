# mypy: disable-error-code="arg-type, union-attr, operator"
"""Nothing that was given is dropped in silence, and each group is judged against its own baseline."""

import pytest

import specmodel as sm
from specmodel.engine.run import assemble
from specmodel.measured.spec_stats import Printed, SpecStats


def kind(label, step_ms, tau, tokens, **more):
    rounds = tokens / tau
    return SpecStats("vLLM", "answers", label=label, num_speculative_tokens=3, num_rounds=rounds, step_ms=step_ms,
                     num_draft_tokens=3 * rounds, num_accepted_draft_tokens=(tau - 1) * rounds,
                     generated_tokens=tokens, **more)  # fmt: skip


def plain(label, step_ms, tokens=100.0, **more):
    return SpecStats("vLLM", "answers", label=label, speculation=False, step_ms=step_ms, num_steps=tokens,
                     generated_tokens=tokens, **more)  # fmt: skip


def said(run):
    return {each.name: str(each.as_what) for each in run.taken}


def test_every_file_says_what_it_was_taken_for():
    files = [kind("code.log", 12.0, 3.0, 300.0), plain("code.baseline.log", 10.0), kind("chat.log", 12.0, 1.5, 300.0),
             plain("chat.baseline.log", 8.0)]  # fmt: skip
    run = assemble([*files, files[0]])
    assert said(assemble(files)) == {
        "code.log": "with speculation: a group of its own, and added up with the others for the verdict",
        "code.baseline.log": "the baseline of code.log",
        "chat.log": "with speculation: a group of its own, and added up with the others for the verdict",
        "chat.baseline.log": "the baseline of chat.log",
    }
    assert [str(each.as_what) for each in run.taken][-1] == "the same counters as a file before it: left out"


def test_what_a_sweep_leaves_out_is_named():
    parts = (plain("off", 10.0, batch_size=1.0), kind("k=3", 12.0, 2.0, 100.0, batch_size=1.0))
    swept = parts[1].replace(label="sweep.jsonl", parts=parts, parts_are_settings=True)
    run = assemble([swept, kind("other.log", 9.0, 1.5, 50.0), plain("plain.log", 4.0)])
    assert run.baseline.step_ms == 10.0, "the sweep has its own plain run"
    assert "other.log, plain.log" in str(run.notes[0])
    assert "not used" in said(run)["other.log"] and said(run)["plain.log"] == "without speculation: not used"
    alone = assemble([swept.replace(parts=parts[1:]), plain("plain.log", 4.0)])
    assert alone.baseline.step_ms == 4.0 and said(alone)["plain.log"] == "the baseline" and not alone.notes


def test_a_baseline_of_another_engine_is_left_out_and_named():
    foreign = plain("sglang.log", 2.0).replace(engine="SGLang")
    run = assemble([kind("a.log", 12.0, 2.0, 100.0), plain("b.log", 10.0), foreign])
    assert run.baseline.step_ms == 10.0 and "sglang.log" in str(run.notes[0])


def test_groups_of_one_file_are_judged_against_the_same_group_of_the_baseline():
    spec = kind("all.jsonl", 12.0, 2.0, 600.0)
    spec = spec.replace(groups=(kind("code", 12.0, 3.0, 300.0), kind("chat", 12.0, 1.5, 300.0)))
    base = plain("base.jsonl", 9.0, groups=(plain("chat", 7.0), plain("code", 11.0)))
    answer = sm.engine.answer(assemble([spec, base]))
    assert [row.label for row in answer.groups] == ["code", "chat"]
    assert [row.speedup for row in answer.groups] == pytest.approx([3 * 11 / 12, 1.5 * 7 / 12])
    assert [row.pays for row in answer.groups] == [True, False]
    best = [row.best_num_speculative_tokens for row in answer.groups]
    assert best[0] == 3 and best[1] < 3, "each group has its own best draft length"
    again = sm.engine.answer(assemble([spec]), base)
    assert [row.speedup for row in again.groups] == pytest.approx([3 * 11 / 12, 1.5 * 7 / 12])


def test_the_whole_is_judged_in_the_mix_of_the_run_that_speculates():
    files = [kind("code.log", 12.0, 3.0, 900.0), kind("chat.log", 12.0, 1.5, 100.0),
             plain("code.baseline.log", 10.0, 100.0), plain("chat.baseline.log", 6.0, 900.0)]  # fmt: skip
    run = assemble(files)
    assert run.shares == pytest.approx((0.9, 0.1))
    assert run.baseline.step_ms == pytest.approx(0.9 * 10 + 0.1 * 6), "not 6.4, as the baselines were mixed"
    answer = sm.engine.answer(run)
    assert answer.speedup.value == pytest.approx(answer.mix.speedup)


def test_what_one_file_printed_is_not_said_of_all():
    def printing(label, rate, drafted):
        return SpecStats("vLLM", "log", label=label, num_draft_tokens=drafted, num_rounds=drafted / 2,
                         num_accepted_draft_tokens=rate * drafted,
                         printed=(Printed("Draft acceptance rate", rate, "accepted_per_drafted"),))  # fmt: skip

    run = assemble([printing("chat.log", 0.2, 900.0), printing("code.log", 0.8, 100.0)])
    (printed,) = run.stats.printed
    assert printed.value == pytest.approx(run.stats.draft_acceptance_rate) == pytest.approx(0.26)
