"""What the Serving load page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.session.declaration import Option, Options, PageDeclaration, Panel, fields_of
from specmodel.methods import methods
from specmodel.model.scenario import Scenario
from specmodel.serving.arrivals import fixed_points
from specmodel.serving.bill import bill
from specmodel.serving.by_batch import best_k
from specmodel.serving.crossings import crossings
from specmodel.serving.load import Drafter, Load
from specmodel.serving.memory import capacity
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.presets import LOAD_PRESETS
from specmodel.serving.roofline import RooflinePass, experts_touched, turning_tokens
from specmodel.serving.schedule import schedule, short_schedule
from specmodel.serving.served_model import Serving
from specmodel.serving.stationary import stationary_batch


def _panel(options: Options) -> Panel:
    """Measured passes tell of no memory, and some tables bring their drafter: its sliders are left out then.

    So are all that a way of drafting says itself; of batch and request rate the one that decides is there.
    """
    table = pass_tables().get(str(options["passes"]))
    points, sliders, hosted = options["cost"] == "points", not options["way"], options["way"] in ("", "measured")
    drafts = sliders and not (points and table is not None and table.drafter)
    main = (
        *fields_of(Load, "request_rate" if options["load_by"] == "rate" else "batch_size", "context_tokens"),
        *fields_of(Scenario, *(["alpha", "num_speculative_tokens"] if sliders else [])),
        *fields_of(Drafter, *(["draft_cost_ratio"] if drafts else [])),
        *fields_of(Scenario, "output_tokens"),
    )
    more = (
        *fields_of(Scenario, *(["vocabulary_overlap"] if sliders else []), "overhead_ms"),
        *fields_of(Drafter, *(["draft_step_ms"] if drafts else []), "fixed_cost"),
        *fields_of(Drafter, *(["weights_billions", "cache_bytes_per_token"] if hosted and not points else [])),
        *fields_of(Load, "prefill_ms", "max_sequences", "standing_cost", "tolerance", "price_per_hour"),
    )
    key = "-".join(["serving", *(f"{kind.__name__}.{name}" for kind, name in (*main, *more))])
    return Panel(key, main, more, N_("Engine, drafter and price"), LOAD_PRESETS)


DECLARED = PageDeclaration(
    key="serving",
    title=N_("Serving load"),
    section=N_("Serve"),
    order=40,
    question=N_("Where does batching eat the gain?"),
    panel=_panel,
    options=(
        Option("load_by", "batch", ("batch", "rate")),
        Option("way", "", ("", *(each.key for each in methods()))),
        Option("mine", "", None),
    ),
    explains=(
        Serving.speedup,
        best_k,
        RooflinePass,
        experts_touched,
        turning_tokens,
        schedule,
        short_schedule,
        fixed_points,
        crossings,
        stationary_batch,
        capacity,
        bill,
    ),
)
