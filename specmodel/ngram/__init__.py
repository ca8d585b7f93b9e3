"""Small but real language models, a target and a draft, and speculative sampling between them.

They are n-gram models trained at first use on text that is there anyway: prose and code of the Python standard library,
and the Japanese of this package. Nothing is fetched and nothing shipped. What is small is the models; tokens, drafts,
the acceptance test and its acceptance are what they are with any other pair.

>>> pair = language_models("english")
>>> trace = speculate(pair.target, pair.draft, "The first argument", max_tokens=40, seed=1)
>>> len(trace.tokens), 0 <= measure([trace]).alpha <= 1
(40, True)
"""

from specmodel.ngram.corpora import KINDS, Corpus, KindOfText
from specmodel.ngram.drafters import Drafter, LookupDrafter, ModelDrafter
from specmodel.ngram.generate import decode, speculate
from specmodel.ngram.measure import Measured, measure, measure_rounds
from specmodel.ngram.ngram_model import NgramModel, train
from specmodel.ngram.pair import LanguagePair, language_models
from specmodel.ngram.trace import FATES, Event, Round, Trace
from specmodel.ngram.vocabulary import Vocabulary, build_vocabulary

__all__ = [
    "FATES",
    "KINDS",
    "Corpus",
    "Drafter",
    "Event",
    "KindOfText",
    "LanguagePair",
    "LookupDrafter",
    "Measured",
    "ModelDrafter",
    "NgramModel",
    "Round",
    "Trace",
    "Vocabulary",
    "build_vocabulary",
    "decode",
    "language_models",
    "measure",
    "measure_rounds",
    "speculate",
    "train",
]
