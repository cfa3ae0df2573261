"""Files keep their formats, and nothing is lost."""

from __future__ import annotations

import gzip
import logging
import pathlib
from typing import Any

import pytest

import majuscule

CUE = "1\n00:00:01,000 --> 00:00:02,000\nwe met angela\n\n2\n00:00:05,000 --> 00:00:06,000\nin lisbon\n"


@pytest.fixture(scope="module")
def model() -> majuscule.Model:
    return majuscule.load("en", preset="fast")


def test_a_file_is_restored_into_another(model: majuscule.Model, tmp_path: pathlib.Path) -> None:
    talk, cased = tmp_path / "talk.srt", tmp_path / "talk.cased.srt"
    talk.write_text(CUE)
    model.restore_file(talk, cased, words=["iPhone", "ANGELA"])
    assert cased.read_text() == CUE.replace("we met angela", "We met ANGELA").replace("lisbon", "Lisbon")
    with pytest.raises(majuscule.UsageError, match="exists already"):
        model.restore_file(talk, cased)
    model.restore_file(str(talk), str(cased), force=True, marks=True)
    assert cased.read_text().rstrip().endswith(".")
    model.restore_file(talk, tmp_path / "talk.vtt")
    assert (tmp_path / "talk.vtt").read_text().startswith("WEBVTT\n")


def test_a_file_is_restored_in_place(model: majuscule.Model, tmp_path: pathlib.Path) -> None:
    talk = tmp_path / "talk.srt"
    talk.write_text(CUE)
    model.restore_file(talk, in_place=".bak")
    assert "Lisbon" in talk.read_text() and (tmp_path / "talk.srt.bak").read_text() == CUE
    with pytest.raises(majuscule.UsageError, match="neither of output and in_place"):
        model.restore_file(talk)
    with pytest.raises(majuscule.UsageError, match="both of output and in_place"):
        model.restore_file(talk, tmp_path / "other.srt", in_place=True)


def test_a_folder_goes_to_a_folder(model: majuscule.Model, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a.srt").write_text(CUE)
    (tmp_path / "in" / "b.txt").write_text("we met in lisbon\n")
    model.restore_file(tmp_path / "in", tmp_path / "out")
    assert "Lisbon" in (tmp_path / "out" / "deep" / "a.srt").read_text()
    assert (tmp_path / "out" / "b.txt").read_text() == "We met in Lisbon\n"
    (tmp_path / "in" / "c.txt").write_bytes(b"bad \xff\x80")
    with pytest.raises(majuscule.InputError, match="c.txt"):
        model.restore_file(tmp_path / "in", tmp_path / "again")
    assert (tmp_path / "again" / "b.txt").exists() and not (tmp_path / "again" / "c.txt").exists()


def test_bytes_keep_their_format(model: majuscule.Model) -> None:
    assert model.restore_bytes(CUE.encode()) == CUE.replace("we", "We").replace("lis", "Lis").replace("ang", "Ang").encode()
    assert model.restore_bytes(gzip.compress(b"we met in lisbon")) == b"We met in Lisbon"
    assert model.restore_bytes("wir trafen uns in köln\n".encode("latin-1"), encoding="windows-1252").endswith(b"\xf6ln\n")
    record = b'{"id": 1, "text": "we met in lisbon"}\n'
    assert model.restore_bytes(record, format="jsonl", field="text") == record.replace(b"we", b"We").replace(b"lis", b"Lis")
    with pytest.raises(majuscule.InputError, match="<text>"):
        model.restore_bytes(b"we met \xff\xff")
    assert b"Lisbon" in model.restore_bytes(b"\xff\xff we met in lisbon", lossy=True)
    with pytest.raises(majuscule.UsageError, match="format"):
        model.restore_bytes(b"a", format="srtt")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unknown option formt: did you mean format"):
        model.restore_bytes(b"a", formt="srt")  # type: ignore[call-arg]


@pytest.mark.parametrize("wrong", [5, None, b"bytes", ["a", 5]])
def test_paths_of_wrong_types_are_type_errors(model: majuscule.Model, wrong: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError):
        model.restore_file(wrong, tmp_path / "out")


def test_a_missing_file_is_a_file_not_found_error(model: majuscule.Model, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.srt"):
        model.restore_file(tmp_path / "none.srt", tmp_path / "out.srt")
    assert not (tmp_path / "out.srt").exists()


def test_a_path_is_never_an_option_nor_a_name_in_memory(
    model: majuscule.Model, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("-o.txt", "<text>", "<model>"):
        pathlib.Path(name).write_text("we met in lisbon\n")
        model.restore_file(name, "out.txt", force=True)
        assert pathlib.Path("out.txt").read_text() == "We met in Lisbon\n"


def test_the_language_of_each_text(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    auto = majuscule.load("auto", preset="fast")
    english, french = "they told us about the weather in paris", "je ne sais pas où il est à paris"
    assert auto.restore([french, None, english]) == ["Je ne sais pas où il est à Paris", None, english.capitalize()[:-5] + "Paris"]
    assert auto.language == "auto" and auto.words(french)[-1].form == "Paris"
    with pytest.raises(majuscule.UsageError, match="a stream cannot detect its language"):
        auto.stream()
    for name, text in (("a.txt", english), ("b.txt", french)):
        (tmp_path / name).write_text(text + "\n")
    auto.restore_file([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "out")
    assert "Paris" in (tmp_path / "out" / "b.txt").read_text()
    with caplog.at_level(logging.WARNING, "majuscule"):
        auto.restore_bytes(b"1984 xyzzy qux foo")
    assert "cannot detect the language" in caplog.text


def test_subtitles_are_converted(tmp_path: pathlib.Path) -> None:
    talk = tmp_path / "talk.json"
    talk.write_text(
        '{"segments": [{"start": 0.0, "end": 2.0, "text": " We met. Then we left.", "words": ['
        '{"word": " We", "start": 0.0, "end": 0.2}, {"word": " met.", "start": 0.2, "end": 0.6},'
        '{"word": " Then", "start": 1.0, "end": 1.2}, {"word": " we", "start": 1.2, "end": 1.4},'
        '{"word": " left.", "start": 1.4, "end": 2.0}]}]}'
    )
    majuscule.convert(talk, tmp_path / "talk.srt", cues="sentence")
    assert (tmp_path / "talk.srt").read_text().count("-->") == 2
    assert majuscule.convert(CUE.encode(), from_="srt", to="text") == b"we met angela\nin lisbon\n"
    with pytest.raises(majuscule.InputError, match="would be lost, since plain text cannot hold it"):
        majuscule.convert(CUE.encode(), from_="srt", to="text", strict=True)
    with pytest.raises(majuscule.UsageError, match="name it with from_"):
        majuscule.convert(CUE.encode(), to="vtt")
