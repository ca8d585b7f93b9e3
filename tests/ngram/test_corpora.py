"""Where the training texts come from, and that they are the same each time."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from specmodel.base.messages import SpecmodelError
from specmodel.ngram import KINDS, _texts, corpora, language_models, pair
from specmodel.ngram._texts import code_blocks, prose, translations

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_text_to_train_on_and_text_held_out(kind):
    corpus = language_models(kind).corpus
    assert 20_000 < len(corpus.text) <= corpora.MOST_CHARACTERS
    assert len(corpus.prompts) == len(set(corpus.prompts)) == corpora.PROMPTS
    assert all(part not in corpus.text for part in corpus.held_out if len(part) > 60)
    for prompt in corpus.prompts:
        assert any(part.startswith(prompt) and part != prompt for part in corpus.held_out)
        assert 4 <= len(prompt) <= KINDS[kind].longest_prompt
        assert prompt not in corpus.text


@pytest.mark.parametrize("kind", KINDS)
def test_the_origin_says_how_much_was_read(kind):
    corpus = language_models(kind).corpus
    assert re.search(rf"files read: \d+, characters: {len(corpus.text):,}$", str(corpus.origin))


def test_the_vocabulary_is_small_and_frequent_words_are_in_it():
    english = language_models("english").vocabulary
    assert len(english) == pair.VOCABULARY_SIZE
    assert len(english.encode(" the")) == len(english.encode(" function")) == 1
    japanese = language_models("japanese").vocabulary
    assert len(japanese.encode("トークン")) == 1
    assert len(language_models("code").vocabulary.encode("\n        return")) == 2


def test_an_unknown_kind_is_refused_by_name():
    with pytest.raises(
        SpecmodelError, match="there is no kind of text klingon: expected one of english, japanese, code"
    ):
        language_models("klingon")


def test_many_readers_train_once(monkeypatch):
    calls = []

    def read(kind):
        calls.append(kind)
        return corpora.read_corpus(kind)

    monkeypatch.setattr(pair, "read_corpus", read)
    pair._trained.cache_clear()
    found = []
    readers = [threading.Thread(target=lambda: found.append(language_models("japanese"))) for _ in range(30)]
    for each in readers:
        each.start()
    for each in readers:
        each.join()
    assert calls == ["japanese"]
    assert len(found) == 30 and len(set(map(id, found))) == 1


def test_another_process_trains_the_same_models():
    script = (
        "from specmodel.ngram import *; p = language_models('japanese');"
        "t = speculate(p.target, p.draft, p.corpus.prompts[0], 40, seed=3);"
        "import hashlib; print(hashlib.sha256(repr((p.vocabulary.texts, t.rounds)).encode()).hexdigest())"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1] != ""


def without_library(monkeypatch, tmp_path, packages):
    """An installation whose standard library has no sources, with some packages beside it."""
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(_texts, "sysconfig", SimpleNamespace(get_path=lambda name: str(tmp_path / "nowhere")))
    monkeypatch.setattr(_texts, "find_spec", lambda name: spec if name in packages else None)


@pytest.mark.parametrize("kind", ["english", "code"])
def test_without_library_sources_the_packages_are_read(monkeypatch, tmp_path, kind):
    (tmp_path / "tests").mkdir()
    paragraph = "A paragraph about {} that is long enough to be read as prose by the reader of docstrings."
    for place, word in (("b.py", "bees"), ("a.py", "ants"), ("tests/test_c.py", "cows")):
        (tmp_path / place).write_text(f'"""{paragraph.format(word)}"""\n\n\nvalue = 1\n', encoding="utf-8")
    without_library(monkeypatch, tmp_path, ["pandas"])
    corpus = corpora.read_corpus(kind)
    assert str(corpus.origin).startswith("the installed packages pandas, files read: 2, ")
    everything = corpus.text + "".join(corpus.held_out)
    assert "ants" in everything and "bees" in everything and "cows" not in everything


def test_numpy_alone_is_enough_to_train_on(monkeypatch):
    monkeypatch.setattr(_texts, "sysconfig", SimpleNamespace(get_path=lambda name: "nowhere"))
    monkeypatch.setattr(_texts, "INSTEAD", ("numpy",))
    corpus = corpora.read_corpus("english")
    assert len(corpus.text) > 50_000 and "array" in corpus.text
    assert str(corpus.origin).startswith("the installed packages numpy, ")


def test_nothing_to_train_on_says_what_was_looked_for(monkeypatch, tmp_path):
    without_library(monkeypatch, tmp_path, [])
    with pytest.raises(SpecmodelError, match=r"neither sources of the Python standard library nor numpy, pandas"):
        corpora.read_corpus("english")


def test_packages_without_text_are_named(monkeypatch, tmp_path):
    without_library(monkeypatch, tmp_path, ["numpy"])
    with pytest.raises(SpecmodelError, match="no text to train on in the installed packages numpy"):
        corpora.read_corpus("code")


def test_a_missing_catalogue_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(corpora, "CATALOGUE", tmp_path / "specmodel.po")
    with pytest.raises(SpecmodelError, match=r"the Japanese catalogue specmodel\.po is not installed"):
        corpora.read_corpus("japanese")


def test_prose_leaves_code_and_markup_out():
    source = '''
def f():
    """Return the number of tokens that a round emits, which is what the caller
    asked for.

    >>> f() and this is long enough to be taken for prose, were it not for the prompt.

    | a table | is none either, however long its line may be and whatever it says there. |
    """
'''
    assert prose(source) == ["Return the number of tokens that a round emits, which is what the caller asked for."]


def test_code_is_taken_apart_between_its_top_level_parts():
    assert code_blocks("a = 1\nb = 2\n\n\ndef f():\n    x = 1\n\n    return x\n\n\nclass C: ...\n") == [
        "a = 1\nb = 2",
        "def f():\n    x = 1\n\n    return x",
        "class C: ...",
    ]


def test_translations_are_unescaped_and_cut_into_sentences():
    header = 'msgid ""\nmsgstr ""\n"Language: ja\\n"\n\n'
    catalogue = header + 'msgid "x"\nmsgstr "「\\"速い\\"」です。次の文。{k} 個です。"\n'
    assert translations(catalogue) == ['「"速い"」です。', "次の文。"]


def test_translations_are_those_that_a_reader_of_catalogues_finds():
    from babel.messages.pofile import read_po

    with corpora.CATALOGUE.open("rb") as file:
        strings = [entry.string or "" for entry in read_po(file) if entry.id]
    texts = "\n".join(form for each in strings for form in ([each] if isinstance(each, str) else each))
    found = translations(corpora.CATALOGUE.read_text(encoding="utf-8"))
    assert len(found) > 500
    assert all(sentence in texts for sentence in found)
