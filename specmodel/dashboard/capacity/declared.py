"""What the Capacity page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.capacity.day import DAYS
from specmodel.dashboard.session.declaration import Option, Options, PageDeclaration, Panel, fields_of
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter, Load
from specmodel.serving.plan import Traffic, plan
from specmodel.serving.service_level import largest_rate, reached
from specmodel.serving.stationary import stationary_batch


def _panel(options: Options) -> Panel:
    """What a way of drafting says itself is left out where one leads."""
    sliders = not options["way"]
    main = (
        *fields_of(Traffic, "peak_rate", "prompt_tokens", "answer_tokens", "ttft_ms", "tpot_ms"),
        *fields_of(Scenario, *(["alpha", "num_speculative_tokens"] if sliders else [])),
        *fields_of(Drafter, *(["draft_cost_ratio"] if sliders else [])),
    )
    more = (
        *fields_of(Traffic, "answer_s", "percentile"),
        *fields_of(Drafter, "fixed_cost", *(["weights_billions", "cache_bytes_per_token"] if sliders else [])),
        *fields_of(Load, "max_sequences", "standing_cost", "price_per_hour"),
    )
    key = "-".join(["capacity", *(f"{kind.__name__}.{name}" for kind, name in (*main, *more))])
    return Panel(key, main, more, N_("More levels, drafter and price"))


DECLARED = PageDeclaration(
    key="capacity",
    title=N_("Capacity"),
    section=N_("Serve"),
    order=45,
    question=N_("How many accelerators does this traffic need?"),
    panel=_panel,
    options=(Option("day", "office", tuple(DAYS)), Option("daycurve", "", None)),
    groups=lambda options: (Traffic(),),
    explains=(plan, largest_rate, reached, stationary_batch),
)
