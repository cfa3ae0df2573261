"""Jobs on Arrow batches, as workers of engines run them, without an engine."""

from __future__ import annotations

import pathlib
import pickle
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import majuscule
from conftest import document
from majuscule._columns import DocumentJob, RestoreJob, ScoreJob, SentenceJob, Source, WordJob, model_source
from majuscule._counting import CountJob, EvaluateJob, build_lexicon, count_ngrams, evaluated

LINES = ["we met in", "lisbon and then", "", "ana left. she said", None, "  late ", "a\nb c", "new york\r", "who is ana"]
CASED = ["We met Ana in Lisbon.", "She works at IBM.", "then nothing", "", "The iPhone is\nhere.", None, "Ana met Bob."]


def job(group: str | None = None, errors: Any = "raise", language_column: str | None = None, **options: Any) -> Any:
    source = Source(options.pop("model", "en"), "fast", language_column=language_column)
    made = RestoreJob("text", "restored", source, errors, options)
    if group:
        made = DocumentJob("text", "restored", source, errors, options, (group,), ("line",))
    return pickle.loads(pickle.dumps(made.checked()))


def batches(random: random.Random, columns: dict[str, list[Any]]) -> Iterator[Any]:
    """Yield the rows of columns in batches of random lengths, some of them empty."""
    at, rows = 0, len(columns["text"])
    while at < rows:
        end = at + random.choice([0, 1, 2, 7, 50])
        yield pa.record_batch({name: pa.array(values[at:end], pa.string() if name == "text" else None) for name, values in columns.items()})
        at = end


def invalid(rows: list[bytes]) -> Any:
    """Return a column of strings whose bytes nobody checked, as engines pass them."""
    return pa.Array.from_buffers(pa.string(), len(rows), pa.array(rows, pa.binary()).buffers())


@pytest.mark.parametrize("seed", range(20))
def test_batches_change_nothing_in_a_document(seed: int) -> None:
    draw = random.Random(seed)
    marks = draw.choice([False, "all"])
    documents = {key: draw.choices(LINES, k=draw.choice([1, 3, 40])) for key in ("a", None, "b", "c")}
    rows = [(key, line) for key, lines in documents.items() for line in lines]
    columns = {"doc": [key for key, _ in rows], "text": [line for _, line in rows]}
    done = list(job("doc", marks=marks)(batches(draw, columns)))
    found = [text for batch in done for text in batch.column("restored").to_pylist()]
    assert found == [line for lines in documents.values() for line in document(lines, marks=marks)]
    assert [text for batch in done for text in batch.column("text").to_pylist()] == columns["text"]


def test_a_batch_is_passed_on_before_its_document_ends() -> None:
    taken = 0

    def endless() -> Iterator[Any]:
        nonlocal taken
        for taken in range(1, 200):
            yield pa.record_batch({"doc": [1] * 50, "text": ["we met ana in lisbon"] * 50})

    for passed_on, _ in enumerate(job("doc")(endless())):
        assert taken - passed_on <= 3


def test_each_row_is_a_text_of_its_own_without_a_key() -> None:
    for kind in (pa.string(), pa.large_string()):
        batch = pa.record_batch({"text": pa.array(LINES, kind), "n": range(len(LINES))})
        (done,) = job(marks=True)([batch])
        assert done.schema.names == ["text", "n", "restored"] and done.column("restored").type == kind
        assert done.column("restored").to_pylist() == majuscule.load("en", preset="fast").restore(LINES, marks=True)
    table = pa.table({"text": pa.array(LINES).dictionary_encode()})
    assert job().on_batch(table).column("restored").to_pylist() == majuscule.load("en", preset="fast").restore(LINES)


def test_languages_are_declared_or_detected() -> None:
    texts = ["fomos a lisboa com a ana", "we met in lisbon", "nous avons vu anne à paris", None, ""]
    restored = [majuscule.load(lang, preset="fast").restore(text or "") for lang, text in zip(("pt", "en", "fr"), texts)]
    expected = [*restored, None, ""]
    assert "Lisboa" in restored[0] and "Lisbon" in restored[1] and "Paris" in restored[2]
    declared = pa.record_batch({"text": texts, "lang": ["pt", None, "auto", "xx", "en"]})
    assert job(language_column="lang").on_batch(declared).column("restored").to_pylist() == expected
    assert job(model="auto").on_batch(declared).column("restored").to_pylist() == expected
    # Detected by the first lines together: "ana" alone tells nothing.
    lines = pa.record_batch({"doc": [1, 1, 2], "text": ["ana", "fomos a lisboa com a ana", "we met in lisbon"]})
    assert job("doc", model="auto").on_batch(lines).column("restored").to_pylist() == [
        *document(["ana", "fomos a lisboa com a ana"], "pt"),
        "We met in Lisbon",
    ]


def test_a_document_has_one_language() -> None:
    batch = pa.record_batch({"doc": [1, 1, 1], "lang": ["pt", None, "en"], "text": ["fomos", "a lisboa", "we met"]})
    with pytest.raises(majuscule.InputError, match='row 2 .* its language is "en", but its document began in "pt"'):
        job("doc", language_column="lang").on_batch(batch)
    kept = job("doc", language_column="lang", errors="keep").on_batch(batch).column("restored").to_pylist()
    assert kept == [*document(["fomos", "a lisboa"], "pt"), "we met"]


@pytest.mark.parametrize("group", [None, "doc"])
def test_a_text_that_is_refused_fails_is_null_or_is_kept(group: str | None) -> None:
    texts = invalid([b"we met ana", b"in \xff lisbon", b"she left"])
    batch = pa.record_batch({"doc": pa.array([1, 1, 2]), "text": texts})
    with pytest.raises(majuscule.InputError, match="1 of 3 texts .* row 1 of it.*not UTF-8.* at byte 3: correct the text"):
        job(group).on_batch(batch)
    good = ["We met Ana", "She left"]
    assert job(group, "null").on_batch(batch).column("restored").to_pylist() == [good[0], None, good[1]]
    kept = job(group, "keep").on_batch(batch).column("restored")
    assert kept.cast(pa.binary()).to_pylist() == [good[0].encode(), b"in \xff lisbon", good[1].encode()]


@pytest.mark.parametrize("group", [None, "doc"])
def test_a_language_without_a_model_is_refused(group: str | None) -> None:
    batch = pa.record_batch({"doc": [1, 2, 2], "lang": ["en", "xx", "xx"], "text": ["we met ana", "aa", "bb"]})
    with pytest.raises(majuscule.InputError, match="2 of 3 texts.*row 1 of it, .*aa.*: on .*no model of language .xx"):
        job(group, language_column="lang").on_batch(batch)
    assert job(group, "null", "lang").on_batch(batch).column("restored").to_pylist() == ["We met Ana", None, None]
    assert job(group, "keep", "lang").on_batch(batch).column("restored").to_pylist() == ["We met Ana", "aa", "bb"]


@pytest.mark.parametrize("group", [None, "doc"])
def test_a_method_that_fails_refuses_the_text(group: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    from majuscule import _columns, _native

    model = majuscule.load("en")
    broken = majuscule.Model(model._source, _native.broken(model._native))
    monkeypatch.setattr(_columns, "_loaded", lambda source: broken)
    batch = pa.record_batch({"doc": [1, 1], "text": ["we met", None]})
    with pytest.raises(majuscule.InputError, match="row 0 of it, which begins 'we met': .*bug"):
        job(group).on_batch(batch)
    assert job(group, "keep").on_batch(batch).column("restored").to_pylist() == ["we met", None]


@pytest.mark.parametrize("group", [None, "doc"])
def test_texts_of_unknown_languages_and_nulls_stay_in_their_rows(group: str | None) -> None:
    texts = [None, "we met ana", None, "aa\nbb", None, "fomos a lisboa", None]
    tags = [None, "en", "xx", "xx", "pt", "pt", "xx"]
    batch = pa.record_batch({"doc": [1, 1, 1, 2, 2, 3, 3], "lang": tags, "text": texts})
    halves = [batch.slice(0, 4), batch.slice(4, 0), batch.slice(4)]
    done = list(job(group, "keep", "lang")(halves))
    assert [part.num_rows for part in done] == [4, 0, 3]
    found = [text for part in done for text in part.column("restored").to_pylist()]
    model = majuscule.load("pt", preset="fast")
    (portuguese,) = document(["fomos a lisboa"], "pt") if group else [model.restore("fomos a lisboa")]
    assert found == [None, "We met Ana", None, "aa\nbb", None, portuguese, None]


def test_a_model_that_a_worker_lacks_is_named_with_the_worker(tmp_path: pathlib.Path) -> None:
    # The driver lacks it too, and lets the workers look.
    made = job(model=str(tmp_path / "my.model"), errors="keep")
    with pytest.raises(FileNotFoundError, match="^on .*my.model: there is no such model: copy it to each worker"):
        made.on_batch(pa.record_batch({"text": ["we met"]}))
    majuscule.train("majority", _news(tmp_path), pack=tmp_path / "packed")
    data = (tmp_path / "packed").read_bytes()
    assert job(model=data).on_batch(pa.record_batch({"text": ["they met ana"]})).column("restored").to_pylist() == ["they met Ana"]


def _news(folder: pathlib.Path) -> pathlib.Path:
    news = folder / "news.txt"
    news.write_text("We met Ana in Lisbon.\nThen they met Bob.\n" * 20)
    return news


def test_wrong_arguments_are_errors_on_the_driver() -> None:
    with pytest.raises(TypeError, match="unknown option mark: did you mean marks"):
        job(mark=True)
    with pytest.raises(majuscule.UsageError, match='errors "drop": expected one of raise, null, keep'):
        job(errors="drop")
    with pytest.raises(majuscule.UsageError, match="marks auto looks at whole lines"):
        job("doc", marks=True)
    with pytest.raises(majuscule.UsageError, match="group is given without order"):
        DocumentJob("text", "out", Source("en"), group=("doc",)).checked()
    with pytest.raises(majuscule.UsageError, match="lang and model are given"):
        model_source({"lang": "en", "model": "my.model"})
    with pytest.raises(majuscule.UsageError, match="model and a column of languages are given"):
        model_source({"model": b"", "language_column": "lang"})
    with pytest.raises(majuscule.UsageError, match='0 columns are named "text": expected one, of line'):
        job().on_batch(pa.record_batch({"line": ["we"]}))
    with pytest.raises(TypeError, match='column "text" is int64, but texts are expected: cast it to string'):
        job().on_batch(pa.record_batch({"text": [1, 2]}))


def test_words_sentences_and_scores_are_columns(tmp_path: pathlib.Path) -> None:
    batch = pa.record_batch({"text": ["we met ana. she left", None]})
    model = majuscule.load("en", preset="fast")
    fields: Any = ("text", "out", Source("en", "fast"), "raise", {"marks": "all"})
    words, none = WordJob(*fields).on_batch(batch).column("out").to_pylist()
    assert none is None and [word["form"] for word in words] == [word.form for word in model.words("we met ana. she left")]
    assert words[4]["mark"] == "."
    sentences, none = SentenceJob(*fields).on_batch(batch).column("out").to_pylist()
    assert none is None and sentences == [
        {"text": "we met ana.", "start": 0, "end": 11},
        {"text": "she left", "start": 12, "end": 20},
    ]
    arpa = majuscule.lm.train(_news(tmp_path), output=tmp_path / "news.arpa", order=2, discount_fallback=True)
    scores = ScoreJob("text", "out", Source(str(tmp_path / "news.arpa"))).on_batch(batch).column("out").to_pylist()
    assert scores == [arpa.score("we met ana. she left"), None]
    with pytest.raises(majuscule.FileError, match="copy the language model to each worker"):
        ScoreJob("text", "out", Source(str(tmp_path / "other.arpa"))).on_batch(batch)


def _sums(parts: list[list[str | None]], job: CountJob) -> list[list[bytes]]:
    """Return the counts of parts, added up by two workers, as an engine passes them to the driver."""
    counted = [list(job.counted([pa.record_batch({"text": pa.array(part, pa.string())})])) for part in parts]
    return [list(job.merged(counted[half::2])) for half in (0, 1)]


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_counts_of_parts_are_those_of_the_whole(parts: int, tmp_path: pathlib.Path) -> None:
    texts = CASED * 30
    random.Random(parts).shuffle(texts)
    whole = tmp_path / "text"
    whole.write_text("".join(f"{text}\n" for text in CASED * 30 if text is not None))
    pieces = [texts[at::parts] for at in range(parts)]
    # A partition is empty, and another one has no capitals.
    given: list[list[str | None]] = [*pieces, [], [None], ["then nothing"]]
    with whole.open("a") as out:
        out.write("then nothing\n")
    built = majuscule.Lexicon.build(whole, min_count=2)
    found = build_lexicon(partial(_sums, given), "text", {"min_count": 2})
    assert found._native.written() == built._native.written()
    from majuscule._verbs import call

    call(["lm", "count", str(whole), "--order", "3", "--output", str(tmp_path / "counts")])
    count_ngrams(partial(_sums, given), "text", {"order": 3, "memory": "64M"}, tmp_path / "found", False)
    assert (tmp_path / "found").read_bytes() == (tmp_path / "counts").read_bytes()
    with pytest.raises(majuscule.UsageError, match="found exists already: name another file"):
        count_ngrams(partial(_sums, given), "text", {}, tmp_path / "found", False)


def test_a_lexicon_of_no_capitals_is_an_error() -> None:
    with pytest.raises(majuscule.InputError, match="0 of its 2 words have a capital"):
        build_lexicon(partial(_sums, [["then"], ["nothing"]]), "text", {})
    with pytest.raises(majuscule.InputError, match='column "text" has no texts'):
        build_lexicon(partial(_sums, [[], [None]]), "text", {})


REFERENCES = ["They met Ana in Lisbon.", "We saw Bob, and IBM.", "Then the iPhone was sold?", None, "New York is big, no?"]
HYPOTHESES = ["They met ana in Lisbon.", "we saw bob, and IBM.", "then the Iphone was sold.", "Ana", "New York is Big no?"]


@pytest.mark.parametrize("protocol", ["text", "batista", "rei", "susanto", "asr:7", "iwslt", "sepp", "segments"])
def test_summed_figures_are_those_of_two_files(protocol: str, tmp_path: pathlib.Path) -> None:
    files = [tmp_path / "reference", tmp_path / "hypothesis"]
    pairs = [(one, other) for one, other in zip(REFERENCES * 9, HYPOTHESES * 9) if one is not None]
    for file, texts in zip(files, zip(*pairs)):
        file.write_text("".join(f"{text}\n" for text in texts))
    expected = majuscule.score(*files, protocol=protocol, top=3).to_dict()
    # Parts do not have the pairs of sentences across their ends.
    expected["exact_sentence_pairs"] = None
    rows = list(zip(REFERENCES * 9, HYPOTHESES * 9))
    parts: list[Any] = []
    for part in (rows[:1], [], rows[1:20], rows[20:]):
        columns = {name: pa.array([row[at] for row in part], pa.string()) for at, name in enumerate(("ref", "hyp"))}
        parts += EvaluateJob("ref", "hyp", None, {"protocol": protocol})([pa.record_batch(columns)])
    assert len(parts) == 3
    found = evaluated((part.column("figures")[0].as_py() for part in parts), {"top": 3}, False, 0, 0)
    if expected["examples"] < len(pairs):
        # Windows of words, which parts have more of: their words count the same.
        assert expected.pop("examples") <= found.pop("examples")
    assert found == expected
