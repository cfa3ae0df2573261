"""The calls of other packages give what code written for these packages expects."""

from __future__ import annotations

import doctest
import pathlib
import pickle

import pytest

import majuscule
from majuscule import compat


def test_examples_of_the_documentation() -> None:
    found = doctest.testmod(compat)
    assert found.attempted > 0 and found.failed == 0


def test_examples_of_the_book() -> None:
    page = pathlib.Path(__file__).parents[2] / "docs/book/src/coming-from.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted > 0 and found.failed == 0


def test_the_book_names_every_model_of_another_package() -> None:
    page = pathlib.Path(__file__).parents[2] / "docs/book/src/coming-from.md"
    text = page.read_text(encoding="utf-8")
    assert [name for name in compat.MODELS if f"`{name}`" not in text] == []


def test_every_model_of_another_package_stands_for_a_language() -> None:
    for name, language in compat.MODELS.items():
        assert language == "auto" or majuscule.load(language).marks
        compat.PunctuationModel(name)
        compat.PunctCapSegModelONNX.from_pretrained(name)


@pytest.mark.parametrize("name", ["oliverguhr/no-such-model", "pcs_xx", "xx"])
def test_another_name_is_an_error_with_the_names(name: str) -> None:
    with pytest.raises(majuscule.UsageError, match=f"{name}.*one of .*pcs_en"):
        compat.PunctuationModel(name)
    with pytest.raises(majuscule.UsageError, match=f"{name}.*one of .*pcs_en"):
        compat.PunctCapSegModelONNX.from_pretrained(name)


def test_truecase_keeps_spaces_and_ignores_capitals() -> None:
    assert compat.get_true_case("WE  DON'T KNOW ANGELA MERKEL.") == "We  don't know Angela Merkel."
    assert compat.get_true_case("we met\nangela") == "We met\nAngela"
    assert compat.get_true_case("", "title") == ""
    assert compat.get_truecaser() is compat.get_truecaser()
    assert compat.TrueCaser().get_true_case_from_tokens([]) == []


@pytest.mark.parametrize("option", ["lower", "as-is", "capitalize"])
def test_other_options_for_unknown_words_are_errors(option: str) -> None:
    with pytest.raises(majuscule.UsageError, match=f'"{option}": expected "title"'):
        compat.get_true_case("we met", out_of_vocabulary_token_option=option)
    with pytest.raises(ValueError, match='expected "title"'):
        compat.TrueCaser().get_true_case_from_tokens(["we"], option)


def test_files_of_other_packages_are_no_models(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "moses.truemodel"
    file.write_text("the (3/4) The (4)\n", encoding="utf-8")
    with pytest.raises(majuscule.ModelError, match="name a model made by train"):
        compat.MosesTruecaser(load_from=file)
    with pytest.raises(majuscule.ModelError, match="name a model made by train"):
        compat.TrueCaser(file)


def test_moses_tokens_come_back_one_by_one() -> None:
    truecaser = compat.MosesTruecaser()
    text = '<b> we met </b> <a href="a b"> angela|NN merkel|NN in &quot; lisbon &quot; | .'
    assert truecaser.truecase(text) == [
        *("<b>", "We", "met", "</b>", '<a href="a b">', "Angela|NN", "Merkel|NN", "in", "&quot;", "Lisbon", "&quot;"),
        *("|", "."),
    ]
    assert truecaser.truecase("") == []
    assert truecaser.truecase("", return_str=True) == ""


def test_moses_options_decide_which_capitals_stay() -> None:
    mixed, shouted = "We met the Xanadu President .", "WE MET ANGELA ."
    assert compat.MosesTruecaser().truecase(mixed, True) == mixed
    assert compat.MosesTruecaser().truecase(shouted, True) == "We met Angela ."
    assert compat.MosesTruecaser().truecase(shouted, True, use_known=True) == shouted
    assert compat.MosesTruecaser(is_asr=True).truecase(shouted, True, use_known=True) == "We met Angela ."
    assert compat.MosesTruecaser("pt").truecase("fomos a lisboa", return_str=True) == "Fomos a Lisboa"


def test_moses_files_are_truecased_line_by_line(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("we met andré\n\nin lisbon\n".encode("latin-1"))
    truecaser = compat.MosesTruecaser(encoding="latin-1")
    assert list(truecaser.truecase_file(file)) == ["We met André", "", "In Lisbon"]
    assert list(truecaser.truecase_file(str(file), return_str=False))[1:] == [[], ["In", "Lisbon"]]


def test_moses_training_names_train() -> None:
    truecaser = compat.MosesTruecaser()
    for call in (truecaser.train, truecaser.train_from_file, truecaser.train_from_file_object, truecaser.save_model):
        with pytest.raises(majuscule.UsageError, match=r"majuscule\.train"):
            call("text", save_to="model")


def test_punctuation_changes_no_letter() -> None:
    model = compat.PunctuationModel("en")
    text = "My name is Clara and I live in Berkeley California do you know Ana"
    restored = model.restore_punctuation(text)
    assert restored != text
    assert model.preprocess(restored) == text.split()
    assert model.restore_punctuation(restored) == restored
    assert model.restore_punctuation("") == ""


def test_punctuation_keeps_the_marks_of_numbers() -> None:
    words = compat.PunctuationModel("en").preprocess("In 1990, at 10:30, 1,000 people. Right? Yes; .5!")
    assert words == ["In", "1990", "at", "10:30", "1,000", "people", "Right", "Yes", ".5"]


def test_punctuation_labels_have_a_mark_and_a_probability() -> None:
    model = compat.PunctuationModel("en")
    prediction = model.predict(model.preprocess("did you see ana she went to lisbon"))
    assert [word for word, _, _ in prediction] == "did you see ana she went to lisbon".split()
    assert [label for _, label, _ in prediction] == ["0", "0", "0", "?", "0", "0", "0", "."]
    assert all(0 < score <= 1 for _, _, score in prediction)
    assert model.prediction_to_text(prediction) == "did you see ana? she went to lisbon."
    assert model.predict([]) == []


def test_punctuation_follows_the_language_of_the_text() -> None:
    assert compat.PunctuationModel().restore_punctuation("cómo estás ana nos vemos mañana").startswith("¿")


def test_sentences_hold_all_words_of_a_text() -> None:
    model = compat.PunctCapSegModelONNX.from_pretrained("pcs_en")
    texts = ["did you see ana she went to lisbon", "", "thanks"]
    assert model.infer(texts) == [["Did you see Ana?", "She went to Lisbon."], [], ["Thanks."]]
    assert model.infer(texts, apply_sbd=False) == ["Did you see Ana? She went to Lisbon.", "", "Thanks."]
    assert model.infer([]) == []
    with pytest.raises(TypeError, match="a list of texts"):
        model.infer("did you see ana")


def test_objects_are_pickled() -> None:
    for made in (compat.TrueCaser(), compat.MosesTruecaser(), compat.PunctuationModel("en"), compat.PunctuationModel()):
        assert type(pickle.loads(pickle.dumps(made))) is type(made)
