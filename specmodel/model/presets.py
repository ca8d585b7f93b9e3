"""Scenarios to start from. Their numbers are assumptions, but for the article's, which are quoted."""

from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.model.scenario import Scenario


@dataclass(frozen=True)
class Preset:
    """A named scenario: what differs from the default, and what it shows."""

    key: str
    label: str
    shows: str
    changes: Mapping[str, float]

    @property
    def scenario(self) -> Scenario:
        """The whole scenario."""
        return Scenario().replace(**self.changes)


PRESETS = (
    Preset(
        "article",
        N_("The article"),
        N_("The case of the article that started this project: 22 ms target, 3 ms draft, k = 5, α = 0.6."),
        {},
    ),
    Preset(
        "one_draw",
        N_("The article's 40 %"),
        N_("The article found “exactly 1.00” at α = 0.4. That was one draw; the exact time ratio is 1.013."),
        {"alpha": 0.4},
    ),
    Preset(
        "slow_drafter",
        N_("A slow drafter"),
        N_("Drafting takes 40 % of a target step: at five drafts a round it loses (assumed numbers)."),
        {"draft_ms": 8.8, "alpha": 0.65},
    ),
    Preset(
        "long_draft",
        N_("A long draft"),
        N_("Sixteen drafts at α = 0.55: most are thrown away. The article's last row."),
        {"num_speculative_tokens": 16, "alpha": 0.55},
    ),
    Preset(
        "other_vocabulary",
        N_("Another vocabulary"),
        N_("A drafter that knows 40 % of the vocabulary, by the article's simplified rule."),
        {"vocabulary_overlap": 0.4},
    ),
    Preset(
        "costly_verification",
        N_("Verification is not free"),
        N_("Each verified token adds 1.2 ms and each round 2 ms: nearer to real engines (assumed numbers)."),
        {"verify_ms_per_token": 1.2, "overhead_ms": 2},
    ),
    Preset(
        "good_pair",
        N_("A well-matched pair"),
        N_("High acceptance and a light drafter (assumed numbers)."),
        {"alpha": 0.85, "draft_ms": 1.5, "num_speculative_tokens": 7},
    ),
)
