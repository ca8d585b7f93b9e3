"""Values from the whole domains of declared parameters, for laws that must hold everywhere."""

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.params import Param, declarations
from specmodel.serving.hardware import Accelerator
from specmodel.serving.passes import AffinePass, MeasuredPass, Points
from specmodel.serving.target_model import TargetModel


def from_pairs(tokens: Any, ms: Any) -> MeasuredPass:
    """A measured pass from two columns: tokens of the batch and ms."""
    return MeasuredPass(Points(tokens, [0.0] * len(tokens), ms))


def domain(declared: Param) -> st.SearchStrategy[Any]:
    """Any value that the parameter allows, its ends and its default among them."""
    if declared.integer:
        numbers: st.SearchStrategy[Any] = st.integers(int(declared.low), int(declared.high))
    else:
        numbers = st.floats(declared.low, declared.high, allow_subnormal=False)
    return numbers | st.sampled_from([declared.low, declared.default, declared.high])


def anything(kind: Any, **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Any instance of a declared class; `fixed` replaces the strategies of some of its fields."""
    fields = {name: domain(declared) for name, declared in declarations(kind).items() if isinstance(declared, Param)}
    return st.builds(kind, **fields | fixed)


accelerators = anything(Accelerator)
"""Any accelerator; a narrow peak may be 0 (there is none), or lower than a wider one."""


@st.composite
def lines(draw: Any) -> AffinePass:
    """Any affine pass that takes some time."""
    fields = {name: draw(domain(each)) for name, each in declarations(AffinePass).items() if isinstance(each, Param)}
    assume(fields["base_ms"] + fields["per_token_ms"] + fields["overhead_ms"] >= 1e-9)
    return AffinePass(**fields)


@st.composite
def models(draw: Any) -> TargetModel:
    """Any target model whose numbers do not contradict each other; a token of a dense one may leave some unread."""
    fields = {name: draw(domain(each)) for name, each in declarations(TargetModel).items() if isinstance(each, Param)}
    dense = draw(st.booleans())
    fields["experts"] = experts = 0 if dense else draw(st.integers(1, 1024) | domain_of("experts"))
    fields["active_experts"] = used = draw(st.integers(0, min(experts, 64)) | st.just(experts))
    fields["shared_experts"] = draw(st.integers(0, 4))
    share = 1.0 if 0 < experts == used else draw(st.floats(0.001, 1) | st.just(1.0))
    fields["active_billions"] = max(fields["total_billions"] * share, 1e-6)
    try:
        return TargetModel(**fields)
    except SpecmodelError:
        assume(False)
        raise


def domain_of(name: str) -> st.SearchStrategy[Any]:
    """Any value of one parameter of a target model."""
    return domain(declarations(TargetModel)[name])
