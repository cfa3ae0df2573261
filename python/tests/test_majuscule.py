"""What the package promises."""

from __future__ import annotations

import copy
import doctest
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import majuscule
from majuscule import _learning, _lexicon, _model, _native


@pytest.fixture(scope="module")
def model() -> majuscule.Model:
    return majuscule.load("en", preset="fast")


def test_examples_of_the_documentation() -> None:
    for module in (majuscule, _model, _learning, _lexicon, majuscule.lm):
        found = doctest.testmod(module)
        assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("page", ["README.md", "../docs/book/src/python.md"])
def test_examples_of_the_pages(page: str) -> None:
    file = pathlib.Path(__file__).parents[1] / page
    found = doctest.testfile(str(file), module_relative=False)
    assert found.attempted > 0 and found.failed == 0


def test_the_program_is_inside() -> None:
    command = [sys.executable, "-m", "majuscule", "restore"]
    done = subprocess.run(command, input="we met in lisbon", capture_output=True, text=True, check=True)
    assert done.stdout == "We met in Lisbon"
    wrong = subprocess.run([*command, "--no-such-option"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "--no-such-option" in wrong.stderr
    missing = subprocess.run([*command, "no such file"], capture_output=True, text=True)
    assert missing.returncode == 1 and missing.stderr.startswith("majuscule: cannot open")


def test_one_text_and_many(model: majuscule.Model) -> None:
    texts = [f"we met {n} people in lisbon" for n in range(500)]
    many = model.restore(texts, threads=2)
    assert many == [model.restore(text) for text in texts]
    assert many[7] == "We met 7 people in Lisbon"
    assert model.restore(iter(["we", None, ""])) == ["We", None, ""]
    assert model.restore([]) == []


def test_options_have_the_names_of_the_program(model: majuscule.Model) -> None:
    assert model.restore("the president spoke.", style="small-offices") == "The president spoke."
    assert model.restore("# a book of maps", style=["title-headings", "capital-items"]) == "# A Book of Maps"
    assert model.restore("an iphone in lisbon", spellings=["iPhone"], sentence_start="never").endswith("iPhone in Lisbon")
    assert model.restore("where did you meet angela merkel", marks=True).endswith("?")
    assert model.restore("where did you go", marks=".") in ("Where did you go.", "Where did you go")
    with pytest.raises(TypeError, match="unknown option look_ahed: did you mean look_ahead"):
        model.restore("a", look_ahed=1)  # type: ignore[call-overload]
    with pytest.raises(majuscule.UsageError, match='case "loud": expected one of'):
        model.restore("a", case="loud")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="mark_threshold 2: expected a probability"):
        model.restore("a", marks=True, mark_threshold=2)
    with pytest.raises(TypeError, match="spellings is a list"):
        model.restore("a", words="iPhone")


@pytest.mark.parametrize("wrong", [None, b"bytes", 5, ["a", 5], [b"a"]])
def test_wrong_types_are_type_errors(model: majuscule.Model, wrong: Any) -> None:
    with pytest.raises(TypeError):
        model.restore(wrong)


def test_a_lone_surrogate_is_an_error(model: majuscule.Model) -> None:
    with pytest.raises(UnicodeEncodeError):
        model.restore("a\ud800")
    with pytest.raises(UnicodeEncodeError):
        model.restore(["a", "a\ud800"])


def test_positions_count_code_points(model: majuscule.Model) -> None:
    text = "😀 é we met in lisbon"
    words = model.words(text)
    assert all(text[word.start : word.end] == word.text for word in words)
    assert words[-1].form == "Lisbon"
    assert words[-1].probability is not None and words[-1].probability > 0.5


def test_words_come_back_one_by_one(model: majuscule.Model) -> None:
    words = model.label(["we", "met", "", "angela"], marks=True)
    assert [word.start for word in words] == [0, 1, 2, 3]
    assert words[0].form == "We" and words[2].form == ""
    assert words[0].mark_probability is not None
    with pytest.raises(TypeError, match="a list of words"):
        model.label("we met")


def test_sentences_cover_the_words(model: majuscule.Model) -> None:
    text = "We met Ana. She left. Why?"
    spans = model.sentences(text)
    assert [text[start:end] for start, end in spans] == ["We met Ana.", "She left.", "Why?"]
    assert model.sentences("") == []


def test_streams(model: majuscule.Model) -> None:
    with model.stream(look_ahead=0) as stream:
        assert stream.push("we met in lis") == "We met in "
        assert stream.tail() == "lis"
        assert stream.push("bon today") == "Lisbon "
        assert stream.finish() == "today"
    with pytest.raises(majuscule.UsageError, match="has ended"):
        stream.push("more")
    for use in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="start another one"):
            use(model.stream())


def test_models_are_pickled_and_copied(model: majuscule.Model, tmp_path: pathlib.Path) -> None:
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert again.restore("we met in lisbon") == "We met in Lisbon"
    file = tmp_path / "model"
    file.write_bytes(b"MAJUSCUL and nothing else")
    with pytest.raises(majuscule.ModelError, match="cut off|altered|format"):
        majuscule.load(file)
    with pytest.raises(majuscule.ModelError):
        majuscule.load(b"nothing")
    with pytest.raises(FileNotFoundError):
        majuscule.load(tmp_path / "none")
    with pytest.raises(majuscule.UsageError, match="no model of language"):
        majuscule.load("xx")
    with pytest.raises(majuscule.UsageError, match="no model ngram of nl"):
        majuscule.load("nl", preset="ngram")


def test_networks_are_a_package_of_their_own() -> None:
    pytest.importorskip("majuscule_networks")
    model = majuscule.load("en", preset="best")
    assert repr(model) == "<majuscule.Model en (bert)>"
    assert model.restore("did mr mcdonald meet anna in lisbon yes", marks=True) == "Did Mr McDonald meet Anna in Lisbon? Yes."
    assert majuscule.load("pt", preset="best").restore("vivo em lisboa") == "Vivo em Lisboa"


def test_without_the_package_of_networks_it_is_named(tmp_path: pathlib.Path) -> None:
    program = """
import sys
sys.modules["majuscule_networks"] = None
import majuscule
for language, preset in [("en", "best"), ("fr", "best"), ("de", "best")]:
    try:
        majuscule.load(language, preset=preset)
    except majuscule.UsageError as error:
        print("majuscule-networks" in str(error))
"""
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "MAJUSCULE_MODELS": ""}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True", "False"]


def _restored(text: str) -> str:
    return majuscule.load("en", preset="fast").restore([text, text], threads=2)[0]


def test_a_fork_after_use(model: majuscule.Model) -> None:
    model.restore(["we met"] * 100, threads=2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_restored, ["we met in lisbon"] * 4) == ["We met in Lisbon"] * 4


def test_a_fork_in_the_middle_of_a_text(model: majuscule.Model) -> None:
    stream = model.stream(look_ahead=0)
    stream.push("we met angela in ")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, (stream.push("lisbon ") + stream.finish()).encode())
        os._exit(0)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(reader) as answer:
        assert answer.read() == "Lisbon "
    assert stream.push("porto ") + stream.finish() == "Porto "


def test_a_model_that_was_altered_is_refused(tmp_path: pathlib.Path) -> None:
    text = tmp_path / "news.txt"
    text.write_text("We met Ana in Lisbon.\n" * 20)
    majuscule.train("majority", text, output=tmp_path / "model")
    manifest = tmp_path / "model" / "majuscule.json"
    manifest.write_text(manifest.read_text().replace('"majority"', '"bilstm"', 1))
    with pytest.raises(majuscule.ModelError, match="was altered"):
        majuscule.load(tmp_path / "model")


def test_ctrl_c_ends_a_long_call(model: majuscule.Model, interrupts: Callable[[Callable[[], object]], None]) -> None:
    text = "we met angela merkel in lisbon on a cold day " * 50
    calls: list[Callable[[], object]] = [
        lambda: model.restore([text] * 20_000),
        lambda: model.restore(text * 20_000),
        lambda: model.words(text * 20_000),
        lambda: model.label(text.split() * 10_000),
        lambda: model.restore_bytes(text.encode() * 20_000),
    ]
    for call in calls:
        interrupts(call)
    assert model.restore("we met") == "We met"


def test_a_panic_is_an_exception(model: majuscule.Model) -> None:
    broken = majuscule.Model(("preset", ("en", "fast", ())), _native.broken(model._native))
    for call in (broken.restore, broken.words, broken.sentences, lambda text: broken.restore([text] * 9, threads=2)):
        with pytest.raises(majuscule.Bug, match="please report it.*on purpose"):
            call("we met")
    with broken.stream() as stream, pytest.raises(majuscule.Bug):
        stream.push("we met in ")
    with pytest.raises(majuscule.Bug):
        broken.restore_bytes(b"we met in lisbon")
    assert model.restore("we met in lisbon") == "We met in Lisbon"


def test_the_language_of_a_text() -> None:
    assert majuscule.detect_language("on ne sait pas où il est") == "fr"
    assert majuscule.detect_language("1984") is None
