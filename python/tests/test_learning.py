"""Training and evaluation are those of the program."""

from __future__ import annotations

import pathlib
import pickle
from collections.abc import Callable

import pytest

import majuscule
from majuscule._learning import METHODS

TEXT = (
    "We saw Ana in Lisbon. Then Ana left Lisbon.\nThe trains to Porto were late.\nMaria told Ana about Porto.\n"
    "They said that Maria had met NATO in Brussels.\nNobody in Brussels knew Maria.\n"
)


@pytest.fixture
def text(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "news.txt"
    file.write_text(TEXT * 40)
    return file


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_trained(method: str, text: pathlib.Path, tmp_path: pathlib.Path) -> None:
    figures: list[dict[str, float]] = []
    model = majuscule.train(method, [text], lang="en", output=tmp_path / "model", progress=figures.append)
    assert model.method == method and model.restore("nobody saw maria in porto", sentence_start="always") == "Nobody saw Maria in Porto"
    assert figures and set(figures[-1]) == {"pass", "bytes"} and figures[-1]["pass"] >= 1
    with pytest.raises(majuscule.UsageError, match="exists already|force"):
        majuscule.train(method, text, output=tmp_path / "model")
    in_memory = majuscule.train(method, text)
    assert in_memory.restore("they saw ana").endswith("saw Ana")
    again = pickle.loads(pickle.dumps(in_memory))
    assert again.restore("they saw ana") == in_memory.restore("they saw ana")


def test_options_of_training_are_checked(text: pathlib.Path) -> None:
    with pytest.raises(ValueError, match='method "bert": expected one of'):
        majuscule.train("bert", text)
    with pytest.raises(TypeError, match="unknown option epoch: did you mean epochs"):
        majuscule.train("maxent", text, epoch=2)  # type: ignore[call-arg]
    with pytest.raises(majuscule.UsageError, match="epochs"):
        majuscule.train("maxent", text, epochs="many")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="average is 1, but True or False is expected"):
        majuscule.train("maxent", text, average=1)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="none.txt"):
        majuscule.train("majority", "none.txt")


def test_ctrl_c_ends_a_training_and_leaves_nothing(
    text: pathlib.Path, tmp_path: pathlib.Path, interrupts: Callable[[Callable[[], object]], None]
) -> None:
    text.write_text(TEXT * 40_000)
    interrupts(lambda: majuscule.train("maxent", text, output=tmp_path / "model"))
    assert [file.name for file in tmp_path.iterdir()] == ["news.txt"]


def test_an_error_of_the_callback_ends_the_training(text: pathlib.Path) -> None:
    def fail(figures: dict[str, float]) -> None:
        raise LookupError(f"pass {figures['pass']}")

    text.write_text(TEXT * 4000)
    with pytest.raises(LookupError, match="pass"):
        majuscule.train("maxent", text, progress=fail)


def test_models_are_measured(text: pathlib.Path) -> None:
    model = majuscule.train("majority", text)
    report = majuscule.evaluate(model, text, protocol="rei")
    assert 0 <= report.ser <= 1 and report["ser"] == report.to_dict()["ser"] == report.ser
    assert report.signature.startswith("protocol:rei")
    assert "SER" in str(report) and "<table>" in report._repr_html_()
    with pytest.raises(AttributeError, match="a report has no serr: expected one of"):
        report.serr
    with pytest.raises(majuscule.UsageError, match="protocol"):
        majuscule.evaluate(model, text, protocol="no such")
    text.write_text("")
    with pytest.raises(majuscule.InputError, match="contains no words to score"):
        majuscule.evaluate(model, text)


def test_models_are_compared(text: pathlib.Path, tmp_path: pathlib.Path) -> None:
    models = {"a": majuscule.train("majority", text), "b": majuscule.load("en", preset="fast")}
    lower = tmp_path / "lower.txt"
    lower.write_text((TEXT * 40).lower())
    compared = majuscule.compare(models, text, output=lower)
    assert [system["name"] for system in compared.systems] == ["a", "b", str(lower)]
    assert compared.best in ("a", "b") and compared._repr_html_().count("<tr>") == 4
    with pytest.raises(ValueError, match="nothing to compare"):
        majuscule.compare({}, text)
    assert majuscule.score(text, lower).ser == 1.0


def test_language_models(text: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model = majuscule.lm.train(text, output=tmp_path / "news.arpa", order=3, discount_fallback=True)
    assert model.order == 3 and len(model.counts) == 3 and "Lisbon" in model and "xyzzy" not in model
    assert model.score("Then Ana left Lisbon.") > model.score("Lisbon left Ana then.")
    assert model.perplexity(text) < 10
    again = pickle.loads(pickle.dumps(model))
    assert again.score("Ana left.") == model.score("Ana left.")
    with pytest.raises(ValueError, match="plain and marks are given"):
        model.score("a", plain=True, marks=".")
    with pytest.raises(FileNotFoundError):
        majuscule.lm.Model(tmp_path / "none.arpa")
    text.write_text("\\data\\\n")
    with pytest.raises(majuscule.Error):
        majuscule.lm.Model(text)


def test_lexicons(text: pathlib.Path, tmp_path: pathlib.Path) -> None:
    lexicon = majuscule.Lexicon.build([text], lang="en")
    assert lexicon["NATO"] == lexicon["nato"] == [majuscule.Form("NATO", 40, 0)]
    assert len(lexicon) == len(list(lexicon)) and "xyzzy" not in lexicon
    with pytest.raises(KeyError):
        lexicon["xyzzy"]
    lexicon.save(tmp_path / "news.tsv")
    with pytest.raises(majuscule.UsageError, match="exists already"):
        lexicon.save(tmp_path / "news.tsv")
    for same in (majuscule.Lexicon.load(tmp_path / "news.tsv"), pickle.loads(pickle.dumps(lexicon))):
        assert dict(same) == dict(lexicon) and same.language == "en"
    assert lexicon.merge(lexicon)["nato"][0].inside == 80

