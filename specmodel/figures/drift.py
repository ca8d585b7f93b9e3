"""Figures of the Drift page: acceptance and draft length over a workload, time saved, regret, drafts, the boundary."""

from collections.abc import Mapping, Sequence

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.drift.adaptation import AlphaCurve
from specmodel.drift.boundary import Boundary, PhaseAtLength
from specmodel.drift.phases import Workload
from specmodel.drift.run import ORACLE, DriftRun
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.acceptance import mean_acceptance_lengths

LOOKS = {
    "off": (style.BASELINE, "dash"),
    "fixed": (style.SPECULATION, "solid"),
    "heuristic": ("#b07d0a", "solid"),
    "threshold": ("#c2379b", "dashdot"),
    "tiers": ("#d9603b", "dash"),
    "goodput": ("#8f63c9", "solid"),
    "oracle": (style.BEST, "dot"),
}
"""Colour and dash of each rule: here a colour stands for a rule; off, fixed and the best keep theirs."""
OTHER = (style.OVERHEAD, "dot")
LONGEST, TWO_LINES = 28, 10
WIDE = "\u2e80"
"""The first of the Chinese and Japanese letters, which are twice as wide."""
TOP = 0.88
NARROW = 320
"""Pixels that all phases have side by side on a phone."""
CURVE_POINTS = 600


def acceptance_figure(run: DriftRun, name: str, label: str, translate: Translate) -> Figure:
    """Above, the true acceptance of each request with the mean of its phase; below, the mean k of a rule and the
    oracle's in each request."""
    rounds = run.rounds
    requests = np.arange(1, rounds.num_requests + 1)
    means = np.concatenate([phase.alphas for phase in rounds.workload.phases])
    hover = translate("request %{x}: %{y:.2f}") + "<extra></extra>"
    each = style.points(
        requests, rounds.alpha[rounds.starts[:-1]], translate("acceptance of a request"), style.ACCEPTED, size=6,
        hovertemplate=hover,
    )  # fmt: skip
    mean = style.line(requests, means, translate("mean of its phase"), style.ACCEPTED, width=1.5, opacity=0.7)
    mean["line"]["shape"] = "hvh"
    data = [mean | {"hovertemplate": hover}, each]
    lines = [(name, label)] if name == ORACLE else [(ORACLE, translate("k of the oracle")), (name, label)]
    for key, text in lines:
        colour, dash = LOOKS[key] if key == ORACLE else (style.SPECULATION, "solid")
        k = style.line(requests, run.run(key).request_k, text, colour, dash=dash, width=2, yaxis="y2")
        k["line"]["shape"] = "hvh"
        data.append(k | {"hovertemplate": translate("request %{x}: k = %{y:.1f} on average") + "<extra></extra>"})
    ends = np.cumsum([0, *(phase.requests for phase in rounds.workload.phases)]) + 0.5
    layout = style.layout(
        translate("Request"),
        translate("Acceptance α"),
        xaxis={"anchor": "y2", "range": [0.5, float(ends[-1])]},
        yaxis={"domain": [0.42, TOP], "range": [0, 1.03]},
        **_bands(rounds.workload, ends, translate),
    )
    layout["yaxis2"] = {
        "title": {"text": translate("Mean k")}, "automargin": True, "domain": [0, 0.34], "rangemode": "tozero",
    }  # fmt: skip
    return {"data": data, "layout": layout}


def saved_figure(run: DriftRun, labels: Mapping[str, str], translate: Translate) -> Figure:
    """Seconds saved so far against no speculation, one line a rule; below 0 it has lost time."""
    lines = {key: run.saved_ms(key) / 1000 for key in labels}
    return _over_tokens(run, lines, labels, translate("Time saved so far (s)"), translate)


def regret_figure(run: DriftRun, labels: Mapping[str, str], translate: Translate) -> Figure:
    """Seconds behind the oracle so far, one line a rule, the oracle's at 0; that of off is what the oracle saves."""
    lines = {key: run.regret_ms(key) / 1000 for key in labels if key != "off"}
    return _over_tokens(run, lines, labels, translate("Time behind the oracle so far (s)"), translate)


def _over_tokens(
    run: DriftRun, lines: Mapping[str, Floats], labels: Mapping[str, str], title: str, translate: Translate
) -> Figure:
    tokens = np.concatenate(([0], run.tokens_out))
    hover = translate("after %{x:,.0f} tokens: %{y:+,.2f} s")
    data = []
    for key, values in lines.items():
        colour, dash = LOOKS.get(key, OTHER)
        data.append(
            style.line(
                tokens, np.concatenate(([0.0], values)), labels[key], colour, dash=dash, width=2,
                hovertemplate=hover + f"<extra>{labels[key]}</extra>",
            )
        )  # fmt: skip
    ends = run.rounds.phase_starts.astype(float)
    axes = {
        "xaxis": {"range": [0, float(ends[-1])]},
        "yaxis": {"domain": [0, TOP]},
        **_bands(run.rounds.workload, ends, translate),
    }
    return {"data": data, "layout": style.layout(translate("Tokens out"), title, **axes)}


def _bands(workload: Workload, ends: Floats, translate: Translate) -> Figure:
    """Every second phase shaded, and at the top of each its name, or its number where the names have no room."""
    edges = ends.tolist()
    labels = [broken(translate(phase.label)) for phase in workload.phases]
    shares = (np.diff(ends) / (ends[-1] - ends[0])).tolist()
    named = all(_width(label) <= share * NARROW for label, share in zip(labels, shares, strict=True))
    shapes = [
        {
            "type": "rect", "xref": "x", "yref": "paper", "x0": edges[at], "x1": edges[at + 1], "y0": 0, "y1": 1,
            "fillcolor": style.faded(style.BASELINE, 0.13), "line": {"width": 0}, "layer": "below",
        }
        for at in range(1, len(workload.phases), 2)
    ]  # fmt: skip
    names = [
        {
            "xref": "x", "yref": "paper", "x": (edges[at] + edges[at + 1]) / 2, "y": 1, "yanchor": "top",
            "text": label if named else str(at + 1), "hovertext": label, "showarrow": False,
            "font": {"size": 11, "color": style.BASELINE},
        }
        for at, label in enumerate(labels)
    ]  # fmt: skip
    return {"shapes": shapes, "annotations": names}


def _width(label: str) -> float:
    """About how many pixels the longer line of a label takes."""
    return max(sum(11 if letter >= WIDE else 5.5 for letter in line) for line in label.split("<br>"))


def broken(label: str) -> str:
    """A label in at most two lines, safe inside a figure, and not too long. Japanese may be broken anywhere.

    >>> broken("Creative writing"), broken("a<b"), broken("長いコンテキスト")
    ('Creative<br>writing', 'a&lt;b', '長いコン<br>テキスト')
    """
    short = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    spaces = [at for at, letter in enumerate(short) if letter == " "]
    lines = [short]
    if spaces and len(short) >= TWO_LINES:
        middle = min(spaces, key=lambda at: abs(at - len(short) / 2))
        lines = [short[:middle], short[middle + 1 :]]
    elif len(short) > TWO_LINES / 2 and all(letter >= WIDE for letter in short):
        middle = (len(short) + 1) // 2
        lines = [short[:middle], short[middle:]]
    return "<br>".join(map(style.plain_text, lines))


def drafts_figure(run: DriftRun, labels: Mapping[str, str], translate: Translate) -> Figure:
    """Drafts of each rule: those that became tokens, and those that were wasted."""
    keys = [key for key in reversed(list(labels)) if key != "off"]
    names = [labels[key] for key in keys]
    runs = [run.run(key) for key in keys]
    wasted = [each.num_wasted_draft_tokens for each in runs]
    kept = [int(each.num_speculative_tokens.sum()) - lost for each, lost in zip(runs, wasted, strict=True)]
    hover = "%{y}: %{x:,}"
    data = [
        style.bars(kept, names, translate("accepted drafts"), style.ACCEPTED, hovertemplate=hover, orientation="h"),
        style.bars(wasted, names, translate("wasted drafts"), style.WASTED, hovertemplate=hover, orientation="h"),
    ]
    return {"data": data, "layout": style.layout(translate("Drafts"), "", barmode="stack")}


def boundary_figure(boundary: Boundary, translate: Translate) -> Figure:
    """Long-run speedup against acceptance at k drafts; the break-even, and the phases, by their numbers."""
    k, alphas = boundary.num_speculative_tokens, np.linspace(0, 1, 201)
    curve = mean_acceptance_lengths(alphas, k)[:, k] / boundary.rho
    hover = "α %{x:.2f}: %{y:.2f}×"
    data = [
        style.line(
            [0.0, 1.0], [1.0, 1.0], translate("plain decoding"), style.BASELINE, dash="dash", width=1.5,
            hoverinfo="skip",
        ),
        style.line(alphas, curve, f"k = {k}", style.SPECULATION, hovertemplate=hover + "<extra></extra>"),
    ]  # fmt: skip
    kinds = ((False, translate("phase pays"), style.FASTER), (True, translate("phase loses"), style.SLOWER))
    for loses, name, colour in kinds:
        found = [(at, phase) for at, phase in enumerate(boundary.phases, 1) if phase.loses == loses]
        if found:
            data.append(_phases(found, name, colour, translate))
    if boundary.alpha is not None:
        text = f"α* = {boundary.alpha:.2f}"
        data.append(
            style.points(
                [boundary.alpha], [1.0], translate("break-even"), style.BREAK_EVEN, symbol="diamond", size=13,
                text=[text], textposition="bottom right", textfont={"color": style.BREAK_EVEN},
                hovertemplate=text + "<extra></extra>",
            )
        )  # fmt: skip
    axes = {"xaxis": {"range": [0, 1.02]}, "yaxis": {"rangemode": "tozero"}}
    return {"data": data, "layout": style.layout(translate("Acceptance α"), translate("Speedup"), **axes)}


def _phases(found: Sequence[tuple[int, PhaseAtLength]], name: str, colour: str, translate: Translate) -> Figure:
    x, y, numbers, labels = [], [], [], []
    for at, phase in sorted(found, key=lambda each: each[1].alpha):
        x.append(phase.alpha)
        y.append(phase.speedup)
        numbers.append(str(at))
        labels.append(broken(translate(phase.label)).replace("<br>", " "))
    hover = "%{customdata}: α %{x:.2f}, %{y:.2f}×<extra></extra>"
    return style.points(
        x, y, name, colour, size=10, text=numbers, textposition=(["top left", "bottom right"] * len(x))[: len(x)],
        textfont={"color": colour, "size": 13},
        customdata=labels, hovertemplate=hover,
    )  # fmt: skip


def learning_figure(workload: Workload, curve: AlphaCurve, translate: Translate) -> Figure:
    """Acceptance token by token: of the draft as it came, of one that learns, and the most that it can reach."""
    count = curve.static.size
    at = np.unique(np.concatenate((np.linspace(0, count - 1, min(count, CURVE_POINTS)).round(), _edges(workload))))
    tokens = at.astype(int)
    hover = translate("token %{x:,.0f}: %{y:.2f}") + "<extra></extra>"
    data = [
        style.line(
            tokens, curve.ceiling[tokens], translate("ceiling"), style.BEST, dash="dot", width=1.5, hovertemplate=hover
        ),
        style.line(tokens, curve.adapted[tokens], translate("draft that learns"), style.ACCEPTED, hovertemplate=hover),
        style.line(
            tokens, curve.static[tokens], translate("draft as it came"), style.BASELINE, dash="dash", width=2,
            hovertemplate=hover,
        ),
    ]  # fmt: skip
    ends = np.cumsum([0, *(phase.num_tokens for phase in workload.phases)]).astype(float)
    axes = {
        "xaxis": {"range": [0, float(ends[-1])]},
        "yaxis": {"domain": [0, TOP], "range": [0, 1.03]},
        **_bands(workload, ends, translate),
    }
    return {"data": data, "layout": style.layout(translate("Tokens out"), translate("Acceptance α"), **axes)}


def _edges(workload: Workload) -> Floats:
    """The first and the last token of each phase."""
    ends = np.cumsum([phase.num_tokens for phase in workload.phases])
    edges: Floats = np.concatenate((ends - 1, ends[:-1])).astype(float)
    return edges
