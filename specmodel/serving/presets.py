"""Loads to start from: each a whole question about serving, its numbers published or named as assumed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from specmodel.base.messages import N_
from specmodel.model.scenario import Scenario
from specmodel.serving.hardware import Accelerator, accelerator, target_model
from specmodel.serving.load import Drafter, Load
from specmodel.serving.passes import AffinePass
from specmodel.serving.reached import as_reached
from specmodel.serving.target_model import TargetModel


@dataclass(frozen=True)
class LoadPreset:
    """A named load: what differs from the defaults, which choices go with it, and what it shows."""

    key: str
    label: str
    shows: str
    scenario: Mapping[str, object] = field(default_factory=dict)
    load: Mapping[str, object] = field(default_factory=dict)
    drafter: Mapping[str, object] = field(default_factory=dict)
    hardware: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def groups(self) -> tuple[Load, Drafter, Accelerator, TargetModel, AffinePass]:
        """The values of every group, as the preset has them."""
        model = target_model(self.options.get("llm", "llama31_8b"))
        machine = as_reached(accelerator(self.options.get("gpu", "h100_sxm")), model).replace(**self.hardware)
        return Load().replace(**self.load), Drafter().replace(**self.drafter), machine, model, AffinePass()

    def of(self, scenario: Scenario) -> Scenario:
        """The scenario with what the preset says about acceptance and length; the rest stays."""
        start = scenario.replace(alpha=0.6, num_speculative_tokens=5, acceptance_shape=(), vocabulary_overlap=1)
        return start.replace(overhead_ms=0, output_tokens=4000).replace(**self.scenario)


LOAD_PRESETS = (
    LoadPreset(
        "dense",
        N_("A dense model on one accelerator"),
        N_("Llama-3.1-8B on one H100 with vLLM, a drafter of a tenth of its cost (assumed)."),
    ),
    LoadPreset(
        "published_fit",
        N_("EAGLE, the published fit"),
        N_(
            "Llama-3.1-8B on one H100: the fitted line of SpecDecode-Bench (arXiv 2601.11580) with its EAGLE drafter "
            "of 2.135 ms a round, and the acceptance of its mathematics traces, .70 and then .62."
        ),
        scenario={"alpha": 0.701, "acceptance_shape": (0.877,), "num_speculative_tokens": 3, "output_tokens": 400},
        drafter={"draft_cost_ratio": 0, "draft_step_ms": 2.135},
        options={"cost": "fit", "drafting": "parallel"},
    ),
    LoadPreset(
        "gutter",
        N_("A mixture of experts and its gutter"),
        N_(
            "DeepSeek-V4-Flash on two B200 with the constants of a published widget: speculation pays for one request, "
            "not for 4 to 13, and again beyond."
        ),
        scenario={"alpha": 0.75, "num_speculative_tokens": 3, "output_tokens": 1000},
        load={"batch_size": 4, "context_tokens": 4096},
        hardware={"count": 2, "compute_fraction": 1, "bandwidth_fraction": 1, "step_overhead_ms": 0, "layer_ms": 0},
        options={"cost": "roofline", "llm": "deepseek_v4_flash", "gpu": "b200"},
    ),
    LoadPreset(
        "cliff",
        N_("A cliff beyond the captured graphs"),
        N_(
            "The profile that vLLM made of DeepSeek-V4-Flash at start: a pass of more than 1,024 tokens takes five "
            "times as long. Acceptance assumed."
        ),
        scenario={"alpha": 0.75, "num_speculative_tokens": 5, "output_tokens": 1000},
        load={"batch_size": 128},
        options={"cost": "points", "passes": "deepseek_v4_flash"},
    ),
    LoadPreset(
        "long_context",
        N_("Long contexts"),
        N_(
            "The cache is what is read: many requests of 32 thousand tokens still leave room for drafts. Llama-3.1-8B "
            "on one H200, a drafter of a tenth of its cost (assumed)."
        ),
        load={"batch_size": 24, "context_tokens": 32768},
        options={"gpu": "h200"},
    ),
    LoadPreset(
        "cpu",
        N_("A CPU where checking is not free"),
        N_(
            "SmolLM2-135M in float32 on a CPU, measured by the project: two tokens cost more than one and a half times "
            "one, three cost more than four."
        ),
        scenario={"alpha": 0.7, "num_speculative_tokens": 3, "output_tokens": 200},
        load={"batch_size": 1, "context_tokens": 256, "request_rate": 0.1},
        options={"cost": "points", "passes": "smollm2_fp32"},
    ),
)
