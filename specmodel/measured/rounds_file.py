"""Read a table of rounds: which columns are known, what each may hold, and a clear refusal of anything else."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_, Message
from specmodel.base.params import Param
from specmodel.base.table_file import Body, RoundsError, open_table

MAX_PROPOSED = 64
REQUIRED = ("proposed", "accepted")

NUMBERS: tuple[Param, ...] = (
    Param("proposed", N_("Proposed"), N_("Draft tokens proposed in the round; 0 when nothing was drafted."),
          unit="tokens", high=MAX_PROPOSED, integer=True),
    Param("accepted", N_("Accepted"), N_("Draft tokens accepted in the round, the bonus token not counted."),
          unit="tokens", high=MAX_PROPOSED, integer=True),
    Param("k", N_("Draft tokens allowed"), N_("The number of draft tokens the round was allowed to propose."),
          unit="tokens", high=MAX_PROPOSED, integer=True),
    Param("temperature", N_("Temperature"), N_("Sampling temperature; 0 is greedy.")),
    Param("draft_ms", N_("Drafting"), N_("Time to draft all tokens of the round."), unit="ms"),
    Param("verify_ms", N_("Verification"), N_("Time of the target's pass over the drafts."), unit="ms"),
    Param("overhead_ms", N_("Overhead"), N_("Time of the round outside both models, such as sampling."), unit="ms"),
    Param("baseline_ms", N_("Plain step"), N_("Time of one plain decoding step measured beside the round."), unit="ms"),
)  # fmt: skip
TEXTS = ("category", "prompt", "run_id")
Texts = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file that are known, by name (`prompt` and `run_id` as `request`), and the names of the rest."""

    columns: dict[str, NDArray[Any]]
    ignored: tuple[str, ...]


def read_table(source: str | bytes | Path) -> Table:
    """The known columns of a table of rounds as arrays; text is CSV, a path is a file, bytes may be gzip.

    >>> table = read_table("proposed,accepted,note\\n4,2,x\\n4,0,y\\n")
    >>> table.columns["accepted"].tolist(), table.ignored
    ([2, 0], ('note',))
    >>> read_table("proposed,accepted\\n4,5\\n")
    Traceback (most recent call last):
    specmodel.base.table_file.RoundsError: line 2: accepted = 5 is more than proposed = 4
    """
    try:
        return _parse(open_table(source, REQUIRED))
    except RoundsError:
        raise
    except (csv.Error, ValueError, OverflowError) as error:
        raise RoundsError("the file cannot be read as a table: {reason}", reason=str(error)) from error


def _parse(body: Body) -> Table:
    import pandas as pd

    wanted = [param.name for param in NUMBERS if param.name in body.header]
    texts = [name for name in TEXTS if name in body.header]
    places = {body.header.index(name): name for name in wanted + texts}
    frame = pd.read_csv(
        io.BytesIO(body.data), header=None, sep=body.delimiter, usecols=list(places), na_filter=False,
        skip_blank_lines=False, skipinitialspace=True, low_memory=False, encoding="utf-8",
        dtype={place: "str" for place, name in places.items() if name in texts},
    ).rename(columns=places)  # fmt: skip
    columns = {param.name: _numbers(frame[param.name], param, body) for param in NUMBERS if param.name in wanted}
    columns |= {name: _labels(frame[name], body) for name in texts}
    _check_accepted(columns, body)
    request = _requests(columns)
    if request is not None:
        columns["request"] = request
    return Table(columns, tuple(name for name in body.header if name not in places.values()))


def _numbers(series: Any, param: Param, body: Body) -> NDArray[Any]:
    """A column of numbers inside the domain of `param`, whole where that asks for it."""
    import pandas as pd

    if not pd.api.types.is_numeric_dtype(series) or pd.api.types.is_bool_dtype(series):
        series = pd.to_numeric(series.astype("str").str.strip(), errors="coerce")
    values: NDArray[np.float64] = series.to_numpy(dtype=float)
    wrong = ~(np.isfinite(values) & (values >= param.low) & (values <= param.high))
    if param.integer:
        wrong |= values != np.floor(values)
    if wrong.any():
        record = int(np.argmax(wrong))
        raise body.cell_error(record, param.name, _expected(param))
    return values.astype(np.int64) if param.integer else values


def _expected(param: Param) -> Message:
    if param.integer:
        return Message("a whole number from {low} to {high}", {"low": int(param.low), "high": int(param.high)})
    return Message("a finite number, {low} or more", {"low": int(param.low)})


def _labels(series: Any, body: Body) -> Texts:
    labels: Texts = series.str.strip().to_numpy(dtype=object)
    blank = labels == ""
    if blank.any():
        record = int(np.argmax(blank))
        raise body.cell_error(record, str(series.name), Message("a label"))
    return labels


def _check_accepted(columns: dict[str, NDArray[Any]], body: Body) -> None:
    wrong = columns["accepted"] > columns["proposed"]
    if wrong.any():
        record = int(np.argmax(wrong))
        raise RoundsError(
            "line {line}: accepted = {accepted} is more than proposed = {proposed}",
            line=body.record(record)[0],
            accepted=int(columns["accepted"][record]),
            proposed=int(columns["proposed"][record]),
        )


def _requests(columns: dict[str, NDArray[Any]]) -> NDArray[np.int64] | None:
    """Number the requests: by prompt within its category, else by run; these columns are taken out."""
    import pandas as pd

    labels = {name: columns.pop(name) for name in ("prompt", "run_id") if name in columns}
    if "prompt" not in labels:
        return pd.factorize(labels["run_id"])[0].astype(np.int64) if labels else None
    prompts = pd.factorize(labels["prompt"])[0].astype(np.int64)
    if "category" not in columns:
        return prompts
    return pd.factorize(columns["category"])[0].astype(np.int64) * (int(prompts.max()) + 1) + prompts
