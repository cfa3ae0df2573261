"""The transformer keeps the rules of scikit-learn."""

from __future__ import annotations

import doctest
import math
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import numpy
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import majuscule
import majuscule.sklearn
from majuscule.sklearn import Truecaser

TEXTS = ["we met angela in lisbon", "the iphone is here", "do you know ana"]


def test_examples_of_the_documentation() -> None:
    found = doctest.testmod(majuscule.sklearn)
    assert found.attempted > 0 and found.failed == 0


def test_it_is_at_the_top_of_the_package() -> None:
    assert majuscule.Truecaser is Truecaser
    with pytest.raises(AttributeError, match="no attribute 'Truecasers'"):
        majuscule.Truecasers  # type: ignore[attr-defined]


def test_majuscule_alone_does_not_import_scikit_learn(tmp_path: pathlib.Path) -> None:
    code = "import sys, majuscule, majuscule.compat; sys.exit('sklearn' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0


def test_a_missing_scikit_learn_is_named_with_the_remedy(tmp_path: pathlib.Path) -> None:
    code = "import sys; sys.modules['sklearn'] = None; import majuscule.sklearn"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert "needs scikit-learn: pip install scikit-learn" in done.stderr


def test_texts_come_back_in_the_type_they_came_in() -> None:
    truecaser = Truecaser()
    assert truecaser.transform(["we", None, ""]) == ["We", None, ""]
    assert truecaser.transform(("we",)) == truecaser.transform(iter(["we"])) == ["We"]
    array = truecaser.fit_transform(numpy.array(["we met", math.nan, None], dtype=object))
    assert array.dtype == object and array[0] == "We met" and math.isnan(array[1]) and array[2] is None
    assert list(truecaser.transform(numpy.array(["we", "angela"]))) == ["We", "Angela"]
    assert truecaser.transform([]) == []


def test_a_series_keeps_index_name_and_missing_values() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    for dtype in (None, object, "string"):
        series = pandas.Series(["we met", None, "angela"], index=[3, 5, 7], name="text", dtype=dtype)
        restored = Truecaser().transform(series)
        assert list(restored.index) == [3, 5, 7] and restored.name == "text" and restored.dtype == series.dtype
        assert list(restored.dropna()) == ["We met", "Angela"] and restored.isna().sum() == 1
    with pytest.raises(ValueError, match="2 dimensions: expected 1"):
        Truecaser().fit(pandas.DataFrame({"text": ["we"]}))


@pytest.mark.parametrize("wrong", ["we met", b"we", ["we", 5], [b"we"]])
def test_other_types_are_type_errors(wrong: Any) -> None:
    with pytest.raises(TypeError):
        Truecaser().fit(wrong)


def test_parameters_are_options_of_restoring() -> None:
    assert Truecaser(words=["iPhone"]).transform(["an iphone"]) == ["An iPhone"]
    assert Truecaser(marks=True).transform(["we met ana"]) == ["We met Ana."]
    assert Truecaser(lang="pt", preset="fast", threads=1).transform(["fomos a lisboa"]) == ["fomos a Lisboa"]
    assert Truecaser(model=majuscule.load("pt")).transform(["fomos a lisboa"]) == ["Fomos a Lisboa"]
    with pytest.raises(ValueError, match="no model of language"):
        Truecaser(lang="xx").fit(TEXTS)
    with pytest.raises(ValueError, match='case "loud": expected one of'):
        Truecaser(case="loud").fit(TEXTS)
    with pytest.raises(ValueError, match="Invalid parameter"):
        Truecaser().set_params(metod="maxent")


def test_clones_and_pickles_have_the_parameters() -> None:
    truecaser = Truecaser(lang="pt", words=["iPhone"], model=majuscule.load("pt")).fit(TEXTS)
    for again in (clone(truecaser), pickle.loads(pickle.dumps(truecaser))):
        assert again.get_params().keys() == truecaser.get_params().keys()
        assert again.lang == "pt" and again.words == ["iPhone"]
        assert again.transform(["fomos a lisboa"]) == ["Fomos a Lisboa"]
    assert truecaser.set_params(model=None, lang="en").fit(TEXTS).transform(["in lisbon"]) == ["In Lisbon"]


def test_a_pipeline_sees_the_capitals() -> None:
    pipeline = make_pipeline(Truecaser(), CountVectorizer(lowercase=False))
    pipeline.fit(TEXTS)
    assert {"Angela", "Lisbon", "Ana"} <= set(pipeline[-1].vocabulary_)


def test_the_score_is_the_share_of_words_with_the_right_case() -> None:
    true = ["We met Angela in Lisbon", None, "The iPhone is here"]
    texts = ["we met angela in lisbon", "what is this", "the iphone is here"]
    # 9 words, and without its spelling one may be wrong.
    assert Truecaser(words=["iPhone"]).score(texts, true) == 1.0
    assert Truecaser(words=["IPHONE"]).score(texts, true) == 8 / 9
    assert Truecaser(words=["iPhone"], marks=True).score(texts, true) == 1.0
    with pytest.raises(ValueError, match="row 0: X and y differ"):
        Truecaser().score(["we met"], ["we left"])
    with pytest.raises(ValueError, match="3 texts and y 1"):
        Truecaser().score(texts, ["We"])
    with pytest.raises(ValueError, match="no words"):
        Truecaser().score([None], [None])


def test_a_grid_search_finds_the_better_parameter() -> None:
    search = GridSearchCV(Truecaser(), {"words": [None, ["IPHONE"], ["iPhone"]]}, cv=2, error_score="raise")
    search.fit(["an iphone"] * 4, ["An iPhone"] * 4)
    assert search.best_score_ == 1.0
    assert search.best_params_["words"] != ["IPHONE"]
    assert search.transform(["an iphone"]) == ["An iPhone"]


def test_fit_trains_a_method_on_texts_in_their_true_case() -> None:
    cased = ["We met Ana in Lisbon.", "Then Ana left Lisbon."] * 20
    lower = [text.lower() for text in cased]
    search = GridSearchCV(Truecaser(method="majority", sentence_start="always"), {"method": ["majority", "hmm"]}, cv=2)
    assert search.fit(lower, cased).best_score_ == 1.0
    trained = Truecaser(method="maxent", training={"epochs": 1}).fit(lower, cased)
    assert pickle.loads(pickle.dumps(trained)).transform(["then ana left"])[0].endswith("Ana left")
    with pytest.raises(NotFittedError, match="fit trains the model"):
        Truecaser(method="majority").transform(lower)
    with pytest.raises(majuscule.UsageError, match="model and method are given"):
        Truecaser(method="majority", model="en").fit(cased)
    with pytest.raises(majuscule.InputError, match="have a capital"):
        Truecaser(method="majority").fit(lower)
