"""The components of spaCy work in an empty pipeline, alone and together."""

from __future__ import annotations

import doctest
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("spacy", reason="spaCy is not installed")

import spacy
from spacy.tokens import Doc

import majuscule
import majuscule.spacy
from majuscule.spacy import truecase_doc

TEXT = "we met angela merkel in lisbon it was a cold day"


def pipeline(*names: str, **config: Any) -> Any:
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe(name, config=config)
    return nlp


def test_examples_of_the_documentation() -> None:
    found = doctest.testmod(majuscule.spacy)
    assert found.attempted > 0 and found.failed == 0


def test_the_components_need_no_import(tmp_path: pathlib.Path) -> None:
    code = "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('majuscule_sentences'); nlp.add_pipe('majuscule_truecase')"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0


def test_majuscule_alone_does_not_import_spacy(tmp_path: pathlib.Path) -> None:
    code = "import sys, majuscule; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0


def test_sentences_are_found_without_punctuation() -> None:
    doc = pipeline("majuscule_sentences")(TEXT)
    assert [sent.text for sent in doc.sents] == ["we met angela merkel in lisbon", "it was a cold day"]
    assert [token.is_sent_start for token in doc].count(True) == 2


def test_sentences_begin_at_their_quotation_mark() -> None:
    nlp = pipeline("majuscule_sentences")
    doc = nlp('Mr. Smith left. "Why not?" (Nobody knew.)\n\nThen he came back.')
    assert [sent.text.strip() for sent in doc.sents] == [
        "Mr. Smith left.",
        '"Why not?"',
        "(Nobody knew.)",
        "Then he came back.",
    ]
    for text in ("", " ", "\n", "...", "😀 we left"):
        assert len(list(nlp(text).sents)) == (len(text) > 0)


def test_sentence_starts_that_are_there_stay_unless_overwritten() -> None:
    for overwrite in (False, True):
        nlp = pipeline("majuscule_sentences", overwrite=overwrite)
        doc = nlp.make_doc("We left. They stayed.")
        doc[3].is_sent_start = False
        doc[1].is_sent_start = True
        doc = nlp(doc)
        assert [doc[1].is_sent_start, doc[3].is_sent_start] == [not overwrite, overwrite]


def test_truecased_text_is_an_attribute_of_documents_spans_and_tokens() -> None:
    doc = pipeline("majuscule_truecase")("😀 we met  angela merkel")
    assert doc.text == "😀 we met  angela merkel"
    assert doc._.truecased == "😀 We met  Angela Merkel"
    assert doc[-2:]._.truecased == "Angela Merkel"
    assert [token._.truecased for token in doc] == ["😀", "We", "met", " ", "Angela", "Merkel"]
    plain = spacy.blank("en")("we met")
    assert plain._.truecased is None and plain[0]._.truecased == "we"


def test_found_sentences_begin_with_a_capital() -> None:
    doc = pipeline("majuscule_sentences", "majuscule_truecase")(TEXT)
    assert doc._.truecased == "We met Angela Merkel in Lisbon It was a cold day"
    nlp = pipeline("majuscule_sentences", "majuscule_truecase")
    assert nlp("we met in\nlisbon.\nthey left")._.truecased == "We met in\nLisbon.\nThey left"
    assert [nlp(text)._.truecased for text in ("", " ", "\n")] == ["", " ", "\n"]


def test_a_truecased_document_keeps_spaces_and_sentences() -> None:
    doc = pipeline("majuscule_sentences", "majuscule_truecase")(TEXT)
    doc.user_data["source"] = 7
    new = truecase_doc(doc)
    assert new.text == doc._.truecased
    assert [sent.start for sent in new.sents] == [sent.start for sent in doc.sents]
    assert new.user_data["source"] == 7 and new.user_data is not doc.user_data and new.vocab is doc.vocab
    with pytest.raises(majuscule.UsageError, match="majuscule_truecase"):
        truecase_doc(spacy.blank("en")("we met"))


def test_replacing_gives_capitals_to_the_components_behind() -> None:
    nlp = pipeline("majuscule_truecase", replace=True)
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PLACE", "pattern": "Lisbon"}])
    assert [entity.text for entity in nlp("we met in lisbon").ents] == ["Lisbon"]
    texts = [("we met in lisbon", 1), ("they left", 2)]
    assert [(doc.text, number) for doc, number in nlp.pipe(texts, as_tuples=True)] == [
        ("We met in Lisbon", 1),
        ("They left", 2),
    ]


def test_the_language_is_that_of_the_pipeline_unless_named() -> None:
    nlp = spacy.blank("pt")
    nlp.add_pipe("majuscule_truecase")
    assert nlp("fomos a lisboa")._.truecased == "Fomos a Lisboa"
    with pytest.raises(ValueError, match="no model of language"):
        spacy.blank("da").add_pipe("majuscule_sentences")
    spacy.blank("xx").add_pipe("majuscule_sentences", config={"lang": "en"})


@pytest.mark.parametrize("config", [{"overwrite": "sometimes"}, {"marks": True}, {"preset": "slow"}])
def test_a_wrong_config_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        spacy.blank("en").add_pipe("majuscule_sentences", config=config)


def test_a_saved_pipeline_keeps_the_config(tmp_path: pathlib.Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("majuscule_sentences", config={"lang": "pt", "overwrite": True})
    nlp.add_pipe("majuscule_truecase", config={"lang": "pt", "preset": "fast", "replace": True})
    nlp.to_disk(tmp_path / "pipeline")
    from_bytes = type(nlp).from_config(nlp.config).from_bytes(nlp.to_bytes())
    for again in (spacy.load(tmp_path / "pipeline"), from_bytes, pickle.loads(pickle.dumps(nlp))):
        assert again.get_pipe_config("majuscule_truecase")["preset"] == "fast"
        assert again.get_pipe("majuscule_sentences").overwrite
        assert again("fomos a lisboa").text == "Fomos a Lisboa"


def test_documents_keep_the_attribute_in_bytes() -> None:
    nlp = pipeline("majuscule_truecase")
    doc = nlp("we met angela")
    assert Doc(nlp.vocab).from_bytes(doc.to_bytes())._.truecased == "We met Angela"
    assert [doc._.truecased for doc in nlp.pipe(["we met", "in lisbon"], n_process=2)] == ["We met", "In Lisbon"]
