"""Real measurements that come with the app, to try the engine page on. No Streamlit."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from specmodel import logs
from specmodel.base.messages import N_
from specmodel.engine.run import EngineRun, assemble
from specmodel.measured.spec_stats import SpecStats

DATA = Path(__file__).parents[2] / "data" / "engine"


@dataclass(frozen=True)
class Example:
    """A real measurement that comes with the app: its files, and what was run.

    `by_prompt` holds the same requests as answers, each with the kind of its prompt.
    """

    key: str
    name: str
    description: str
    files: tuple[str, ...]
    by_prompt: str = ""


EXAMPLES = (
    Example(
        "draft15m",
        N_("llama-server, a drafter of 15 million parameters"),
        N_("SmolLM2-135M-Instruct (Q4_1) with a draft model of 15 million parameters, k = 4, 18 requests."),
        ("smol_draft15m_k4.server.log", "smol_draft15m_k4.baseline.server.log"),
        "smol_draft15m_k4.responses.jsonl",
    ),
    Example(
        "ngram",
        N_("llama-server, drafts copied from the context"),
        N_("Gemma-3-270M (Q4_K_M) with ngram-simple: up to 8 tokens copied from the context, 18 requests."),
        ("gemma_ngram_simple.server.log", "gemma_ngram_simple.baseline.server.log"),
        "gemma_ngram_simple.responses.jsonl",
    ),
    Example(
        "misfit",
        N_("llama-server, a drafter with another kind of vocabulary"),
        N_("Gemma-3-270M (Q4_K_M) with SmolLM2-135M as draft model: the server warns, starts, and drafts nothing."),
        ("gemma_draft_smollm2_k4.server.log", "gemma_draft_smollm2_k4.baseline.server.log"),
    ),
)


@cache
def example_run(key: str) -> EngineRun:
    """A bundled example, with the groups of its answers; read once and shared, since nobody's data are in it."""
    example = next(each for each in EXAMPLES if each.key == key)
    run = assemble([_bundled(name) for name in example.files])
    if not example.by_prompt:
        return run
    by_prompt = assemble([_bundled(example.by_prompt)])
    return replace(run, groups=by_prompt.groups, group_baselines=by_prompt.group_baselines, shares=by_prompt.shares)


def _bundled(name: str) -> SpecStats:
    return logs.parse((DATA / f"{name}.gz").read_bytes(), name=name)
