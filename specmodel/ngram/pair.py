"""The two models of a kind of text, trained when they are first asked for and then shared."""

from dataclasses import dataclass
from functools import cache
from threading import Lock

from specmodel.ngram.corpora import KINDS, Corpus, kind_of_text, read_corpus
from specmodel.ngram.ngram_model import NgramModel, train
from specmodel.ngram.vocabulary import Vocabulary, build_vocabulary

TARGET_ORDER = 5
DRAFT_ORDER = 2
VOCABULARY_SIZE = 3000


@dataclass(frozen=True, eq=False)
class LanguagePair:
    """A target and a draft model over one vocabulary, trained on one corpus.

    `target` looks back 4 tokens, `draft` one. Both are read-only, as is everything in them.
    """

    kind: str
    corpus: Corpus
    target: NgramModel
    draft: NgramModel

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens that both models know."""
        return self.target.vocabulary

    def drafter(self, order: int) -> NgramModel:
        """A draft model that looks back `order` − 1 tokens: 1 knows how frequent each token is, and no more."""
        return self.target.of_order(order)


def language_models(kind: str) -> LanguagePair:
    """The models of `english`, `japanese` or `code`: trained by the first call, taken from memory by the next ones.

    They hold nothing of a user, so all share them; whoever asks while another's call is training waits for it.

    >>> language_models("english").target.order
    5
    """
    with _LOCKS[kind_of_text(kind).key]:
        return _trained(kind)


_LOCKS = {key: Lock() for key in KINDS}


@cache
def _trained(kind: str) -> LanguagePair:
    corpus = read_corpus(kind)
    vocabulary = build_vocabulary(corpus.text, kind_of_text(kind).pattern, VOCABULARY_SIZE)
    target = train(vocabulary, vocabulary.encode(corpus.text), TARGET_ORDER)
    return LanguagePair(kind, corpus, target, target.of_order(DRAFT_ORDER))
