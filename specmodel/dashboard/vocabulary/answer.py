"""What the Vocabulary page says: the article's rule, the exact bounds, and real pairs of tokenizers."""

from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import (
    Answer,
    Cards,
    Chart,
    Column,
    Note,
    Table,
    headline,
    outcome_cards,
    said,
    table_of,
)
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.dashboard.vocabulary.declared import MEASURES
from specmodel.figures.vocabulary import Bounds, Pairing, bounds_figure, overlap_figure
from specmodel.model.outcome import Outcome, evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.vocabulary import (
    ARTICLE_PAIRINGS,
    TokenizerPair,
    alpha_ceiling,
    alpha_floor,
    effective_alpha,
    tokenizer_pair,
    tokenizer_pairs,
)

IN_TABLE = (
    "target", "draft", "overlap_of_target", "freq_overlap_code", "freq_overlap_prose_en", "freq_overlap_japanese",
    "overlap_of_draft", "shared_tokens", "shared_same_id", "target_vocab", "draft_vocab",
)  # fmt: skip


def pair_of(chosen: Chosen) -> TokenizerPair:
    """The pair of tokenizers that is chosen; a tokenizer with itself is a pair with the same vocabulary."""
    target, draft = chosen.option("to"), chosen.option("from")
    if target == draft:  # measured pairs are of two tokenizers; one with the same vocabulary stands for itself
        draft = next(pair.draft for pair in tokenizer_pairs() if pair.target == target and pair.jaccard == 1)
    return tokenizer_pair(target, draft)


def overlap_of(chosen: Chosen) -> float:
    """The share of the pair's vocabulary that is to count."""
    return float(getattr(pair_of(chosen), chosen.option("by")))


def answer(chosen: Chosen, translate: Translator, find: str = "") -> Answer:
    """The parts of the page; `find` are words that the names of the listed pairs hold."""
    _, scenario, pinned = translate, chosen.scenario, chosen.pinned
    outcome, before = evaluate(scenario), evaluate(pinned) if pinned else None
    names = ("effective_alpha", "break_even_alpha", "alpha_needed", "speedup")
    return Answer(
        {
            "verdict": said(outcome.verdict, headline(outcome, _), _),
            "numbers": Cards(tuple(outcome_cards(outcome, before, _, *names))),
            "note": Note(
                _("Exact results of the model, with the overlap applied by the article's simplified rule (assumed).")
            ),
            "bounds": _bounds(chosen, outcome, _),
            "bounds_note": Note(
                _("Shares are measured by this project on real text; bounds are exact for those shares.")
            ),
            "overlap": _overlap(chosen, outcome, _),
            "article": _article(scenario, _),
            "tokenizers": lambda: _pairs(find, _),
        },
        leaves_out=(
            _("The simplified rule counts every token of the vocabulary alike; text does not."),
            _("Equal strings need not have equal numbers: an engine must translate ids, or it rejects every draft."),
            _("Splitting differs too: the same text may be other tokens to each model, even where both know them."),
        ),
    )


def _bounds(chosen: Chosen, outcome: Outcome, translate: Translator) -> Chart:
    _, pair, pinned = translate, pair_of(chosen), chosen.pinned
    kept = pair_bounds(pair, pinned.alpha, _) if pinned else ()
    figure = bounds_figure(pair_bounds(pair, chosen.scenario.alpha, _), outcome, _, pinned=kept)
    alt = _("Effective acceptance by kind of text: exact bounds, the article's rule, and the break-even.")
    return Chart(figure, _("What the pair can keep of the acceptance"), alt, 290)


def _overlap(chosen: Chosen, outcome: Outcome, translate: Translator) -> Chart:
    _, pair = translate, pair_of(chosen)
    marks = [Pairing(_(row.pairing), row.vocabulary_overlap) for row in ARTICLE_PAIRINGS]
    mark = Pairing(f"{pair.draft} → {pair.target}", overlap_of(chosen))
    figure = overlap_figure(chosen.scenario, outcome, marks, mark, _, pinned=chosen.pinned)
    alt = _("Speedup against vocabulary overlap by the article's rule, with its three pairings and the break-even.")
    return Chart(figure, _("The article's simplified rule"), alt, 430)


def _article(scenario: Scenario, translate: Translator) -> Table:
    """The article's third table, its pairings, at the current latencies and acceptance: does each pairing still pay?"""
    _, rows = translate, ARTICLE_PAIRINGS
    outcomes = [evaluate(scenario.replace(vocabulary_overlap=row.vocabulary_overlap)) for row in rows]
    overlaps, effective = [row.vocabulary_overlap for row in rows], [outcome.effective_alpha for outcome in outcomes]
    speedups = [outcome.speedup for outcome in outcomes]
    columns = [
        Column(_("pairing"), "pairing", [row.pairing for row in rows], [_(row.pairing) for row in rows]),
        Column(_("overlap"), "vocabulary_overlap", overlaps, [f"{value:.2f}" for value in overlaps]),
        Column(_("acceptance"), "", [f"{scenario.alpha:.3f}"] * len(rows)),
        Column(_("effective acceptance"), "effective_alpha", effective, [f"{value:.3f}" for value in effective]),
        Column(_("speedup"), "speedup", speedups, [f"{value:.2f}×" for value in speedups]),
        Column(_("usable"), "", [_(row.usable) for row in rows]),
    ]
    return table_of(_("The article's third table, at this acceptance"), columns)


def pair_bounds(pair: TokenizerPair, alpha: float, translate: Translator) -> list[Bounds]:
    """The article's rule and the exact bounds for each kind of text that was measured."""
    names = declarations(TokenizerPair)
    rows = [Bounds(translate(names["overlap_of_target"].label), effective_alpha(alpha, pair.overlap_of_target))]
    for name in MEASURES[1:]:
        mass = getattr(pair, name)
        rule, floor, ceiling = effective_alpha(alpha, mass), alpha_floor(alpha, mass), alpha_ceiling(alpha, mass)
        rows.append(Bounds(translate(names[name].label), rule, floor, ceiling))
    return rows


def listed_pairs(find: str) -> list[TokenizerPair]:
    """The measured pairs whose names hold all of the words."""
    words = find.lower().split()
    return [pair for pair in tokenizer_pairs() if all(word in f"{pair.target} {pair.draft}".lower() for word in words)]


def _pairs(find: str, translate: Translator) -> Table:
    _, names, rows = translate, declarations(TokenizerPair), listed_pairs(find)
    columns = [Column(_(names[name].label), name, [getattr(pair, name) for pair in rows]) for name in IN_TABLE]
    return table_of(_("All {n} measured pairs").format(n=len(tokenizer_pairs())), columns)
