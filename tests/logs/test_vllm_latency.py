"""What `vllm bench latency` prints."""

import pytest

from specmodel.logs import parse
from tests.logs.shared import notes, refused

PRINT = "Avg latency: 0.5741 seconds\n10% percentile latency: 0.5709 seconds\n50% percentile latency: 0.5739 seconds\n"


def test_mean():
    stats = parse(f"Profiling iterations: 100%|██████| 30/30 [00:17<00:00, 1.74it/s]\n{PRINT}")
    assert (stats.engine, stats.speculation) == ("vLLM", False)
    assert stats.request_ms == pytest.approx(574.1)
    assert "whether the run speculated is not in the file" in notes(stats)


def test_mean_of_something_else():
    assert "no numbers of speculative decoding" in refused("Avg latency: 0.5741 seconds\nAvg latency: 3 ms\n")


def test_percentiles_that_fall_are_refused():
    assert "line 3: percentiles may never fall; 0.5 s comes after 0.5709 s" in refused(PRINT.replace("0.5739", "0.5"))
