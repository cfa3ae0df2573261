#!/usr/bin/env python3
"""Counts the question marks that models insert into everyday questions: python3 benches/questions.py [accurate|fast|best]…

questions.tsv has twelve questions and twelve statements of each language, to which the models were once tuned, and questions.heldout.tsv fifteen,
to which none is. All lose their marks and capitals. Each question is restored alone, and
between two statements that nothing separates from it. The table has, for each model and language, how many questions end with a question mark alone
and between statements, in the second row of a model for the held-out ones; the last columns have the sums, and the question marks in other places of the texts with statements. The presets are by
default accurate and fast; the networks are those of lm/networks. The variable MAJUSCULE names another binary than target/dist/majuscule. Needs
only Python 3.
"""

import itertools
import os
import re
import subprocess
import sys

import quality

QUESTIONS = {"": "questions.tsv", ", held out": "questions.heldout.tsv"}
# In a text, the statement after the question is that of as many rows below.
AFTER = 5


def main():
    rows = []
    lists = {name: read(os.path.join(quality.TOP, "benches", file)) for name, file in QUESTIONS.items()}
    for preset, (name, sentences) in itertools.product(sys.argv[1:] or ["accurate", "fast"], lists.items()):
        counted = {lang: counts(model, sentences[lang]) for lang in sentences for _, model in quality.systems(lang, None, preset)}
        questions, alone, between, others = map(sum, zip(*counted.values()))
        cells = ["{1} / {2}".format(*counted[lang]) if lang in counted else "-" for lang in sentences]
        rows.append([f"`{preset}`{name}", *cells, f"{alone} / {between} of {questions}", str(others)])
    print(quality.markdown(["model", *sentences, "all", "other `?`"], 1, rows))


def read(path):
    """Returns the statements and questions of each language, a pair for each row."""
    sentences = {}
    with open(path, encoding="utf-8") as table:
        for row in table:
            if not row.startswith("#"):
                lang, statement, question = row.rstrip("\n").split("\t")
                sentences.setdefault(lang, []).append((plain(statement), plain(question)))
    return sentences


def plain(sentence):
    return " ".join(re.sub(r"[¿?.,]", "", sentence).lower().split())


def counts(model, pairs):
    """Returns the number of questions, of those found alone and between statements, and of other question marks."""
    questions = [question for _, question in pairs]
    before = [statement for statement, _ in pairs]
    after = before[AFTER:] + before[:AFTER]
    alone = asked(model, questions)
    texts = [" ".join(sentences) for sentences in zip(before, questions, after)]
    between = asked(model, texts)
    others = asked(model, before)
    found_alone = sum(len(question.split()) - 1 in places for question, places in zip(questions, alone))
    ends = [len(f"{statement} {question}".split()) - 1 for statement, question in zip(before, questions)]
    found_between = sum(end in places for end, places in zip(ends, between))
    return len(pairs), found_alone, found_between, sum(map(len, between)) - found_between + sum(map(len, others))


def asked(model, texts):
    """Returns the positions of the words of each text that a question mark follows."""
    command = [quality.MAJUSCULE, "restore", *model, "--marks=.,?"]
    restored = subprocess.run(command, check=True, capture_output=True, text=True, input="\n\n".join(texts) + "\n").stdout
    # French has a space before the mark.
    words = [re.sub(r"\s+\?", "?", text).split() for text in restored.split("\n\n")]
    return [{at for at, word in enumerate(text) if "?" in word} for text in words]


if __name__ == "__main__":
    main()
