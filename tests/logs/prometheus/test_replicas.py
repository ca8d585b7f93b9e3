"""Which label tells the instances of a model that speculate from those that do not."""

from specmodel.logs.prometheus.answer import Sample
from specmodel.logs.prometheus.replicas import Kind, split


def series(value=9.0, **labels):
    return Sample({"model_name": "m", **labels}, value)


def kinds(found):
    return [each.labels for each in found.speculating], found.plain and found.plain.labels


def test_all_that_speculate_stay_together():
    rows = [series(job="a", instance=each) for each in ("x:1", "y:1")]
    assert kinds(split(rows, rows, "model_name")) == ([()], None)


def test_the_job_decides_before_other_labels():
    on, off = series(job="fast", variant="b", instance="x:1"), series(job="slow", variant="a", instance="y:1")
    assert kinds(split([on], [on, off], "model_name")) == ([(("job", "fast"),)], (("job", "slow"),))


def test_another_label_decides_within_a_job_and_the_instance_last():
    on, off = series(job="vllm", instance="x:1", release="canary"), series(job="vllm", instance="y:1", release="stable")
    found = split([on], [on, off], "model_name")
    assert kinds(found) == ([(("release", "canary"),)], (("release", "stable"),))
    on, others = series(job="vllm", instance="x:1"), [series(job="vllm", instance=each) for each in ("z:1", "y:1")]
    found = split([on], [on, *others], "model_name")
    assert kinds(found) == ([(("instance", "x:1"),)], (("instance", ("y:1", "z:1")),))
    assert found.plain is not None and found.plain.name == "instance y:1, z:1"


def test_where_no_single_label_decides_each_instance_is_one():
    on = [series(job="a", zone="1"), series(job="b", zone="2")]
    off = series(job="a", zone="2")
    found = split(on, [*on, off], "model_name")
    assert kinds(found) == (
        [(("job", "a"), ("zone", "1")), (("job", "b"), ("zone", "2"))],
        (("job", "a"), ("zone", "2")),
    )


def test_labels_of_the_tokens_alone_do_not_matter():
    on = series(job="a")
    served = [series(job="a", is_streaming=each) for each in ("true", "false")]
    assert kinds(split([on], served, "model_name")) == ([()], None)


def test_an_instance_that_never_drafted_is_plain_while_others_draft():
    on, silent = series(job="a"), series(0.0, job="b")
    served = [series(job="a"), series(job="b")]
    assert kinds(split([on, silent], served, "model_name")) == ([(("job", "a"),)], (("job", "b"),))
    assert kinds(split([silent], [series(job="b")], "model_name")) == ([()], None)
    idle = series(0.0, job="b")
    assert kinds(split([on, idle], [series(job="a"), series(0.0, job="b")], "model_name")) == ([()], None)


def test_a_kind_without_labels_has_no_name():
    assert Kind().name == ""
