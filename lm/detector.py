#!/usr/bin/env python3
"""Makes lm/detector.txt, from which the language of a text is detected: python3 lm/detector.py CORPORA [OUTPUT]

Needs numpy. CORPORA is a folder with a folder `train` of cased text (train/en/tatoeba.txt), a folder `cv` with the
sentences of Common Voice (cv/tr.txt), a folder `udhr` with the Universal Declaration of Human Rights (udhr/afr.txt), and
the file europarl.test (`da<TAB>sentence`). lm/README.md says where they are from. All draws are seeded.

The detector is a maximum entropy model of the character n-grams of words. `_` is either end of a word, so that `_el_` is a
word and `ção_` an ending. It learns from lines and from parts of lines, one in five without accents, as in capitals. The
n-grams of largest weight are learned again, alone.
"""


import os
import random
import sys
import unicodedata
import zlib
from collections import Counter

import numpy as np

# The classes: a tag, and files with the lines taken of each. The first seven are the languages with built-in models. Those
# whose tag ends in * are the remaining languages that look a little alike, and no language themselves.
SPOKEN, OWN, OTHER, FEW = 17000, 9000, 5000, 2500
CLASSES = {
    "en": [("train/en/opensubtitles.en", SPOKEN)]
    + [(f"train/en/{name}.txt", OWN) for name in ("tatoeba", "commonvoice", "europarl", "ami", "taskmaster4", "eltec")],
    "es": [("train/es/opensubtitles.es", SPOKEN), ("train/es/europarl-2000.txt", OWN), ("train/es/ancora-cess.txt", OWN)]
    + [(f"train/es/{name}.txt", OWN) for name in ("tatoeba", "commonvoice", "parlamint", "eltec")],
    "fr": [("train/fr/opensubtitles.fr", SPOKEN), ("train/fr/europarl.fr", OWN)]
    + [(f"train/fr/{name}.txt", OWN) for name in ("tatoeba", "commonvoice", "an-mariage", "eltec")],
    "nl": [("train/nl/opensubtitles.nl", SPOKEN), ("train/nl/tatoeba.nl", OWN)]
    + [(f"train/nl/{name}.txt", OWN) for name in ("commonvoice", "europarl-2000", "handelingen-tk70")],
    "pt": [("train/pt/opensubtitles.pt", SPOKEN), ("train/pt/opensubtitles.pt_br", SPOKEN), ("train/pt/porttinari.dev", OWN)]
    + [(f"train/pt/{name}.txt", OWN) for name in ("commonvoice", "europarl-2000", "eltec")],
    "de": [("train/de/tatoeba.txt", OTHER), ("train/de/commonvoice.txt", OTHER), ("train/de/europarl-2000.txt", OTHER), ("train/de/germeval2014.txt", OTHER)],
    "it": [("train/it/commonvoice.txt", OTHER), ("train/it/europarl-1996-2001.txt", OTHER), ("train/it/wikinews.txt", OTHER), ("cv/it.txt", OTHER)],
    "ca": [("cv/ca.txt", 2 * OTHER)],
    "gl": [("cv/gl.txt", 3 * OTHER)],
    "ro": [("cv/ro.txt", 2 * OTHER), ("europarl.test:ro", OTHER)],
    "pl": [("cv/pl.txt", 2 * OTHER), ("europarl.test:pl", OTHER)],
    "cs": [("cv/cs.txt", 2 * OTHER), ("europarl.test:cs", OTHER)],
    "sv": [("cv/sv-SE.txt", 2 * OTHER), ("europarl.test:sv", OTHER)],
    "da": [("cv/da.txt", OTHER), ("cv/nb-NO.txt", OTHER), ("europarl.test:da", OTHER), ("udhr/nno.txt", OTHER)],
    "fi": [("cv/fi.txt", 2 * OTHER), ("europarl.test:fi", OTHER)],
    "hu": [("cv/hu.txt", 2 * OTHER), ("europarl.test:hu", OTHER)],
    "tr": [("cv/tr.txt", 2 * OTHER)],
    "id": [("cv/id.txt", 2 * OTHER)],
    "romance*": [(f"cv/{tag}.txt", FEW) for tag in ("ast", "oc", "scn", "ia", "rm-sursilv", "rm-vallader", "eo")]
    + [(f"udhr/{tag}.txt", FEW) for tag in ("cos", "fur", "lat", "oci_1", "pap", "hat_kreyol", "kea", "src", "lij", "vec")],
    "germanic*": [(f"cv/{tag}.txt", FEW) for tag in ("fy-NL", "af", "is")]
    + [(f"udhr/{tag}.txt", FEW) for tag in ("afr", "nds", "ltz", "gsw1", "isl", "fao", "fri")],
    "others*": [
        (f"cv/{tag}.txt", FEW)
        for tag in "sk sl hr hsb lt lv et eu mt ga-IE cy br vi uz az kmr sw rw lg ha bas kab gn cnh tl ms".split()
    ]
    + [(f"europarl.test:{tag}", FEW) for tag in ("sk", "sl", "lt", "lv", "et")]
    + [(f"udhr/{tag}.txt", FEW) for tag in ("swh", "tgl", "hrv", "als", "bos_latn", "lit", "som", "zul", "plt", "jav", "gla")],
}
# N-grams in the first and in the second pass, and the number of steps that a nat has in the file.
CANDIDATES, KEPT, STEPS = 30000, 2200, 12
LONGEST_NGRAM, LONGEST_WORD = 4, 10
EPOCHS, BATCH, RATE, L2 = 6, 1000, 0.15, 1e-6
# The lines of a small source are taken so many times at most.
MOST_TIMES = 12
# One line in so many is held out.
HELD_OUT = 10


def words(line):
    """The words of a line: runs of letters, with the apostrophes inside and after them."""
    line = line.lower().replace("’", "'")
    found, word = [], ""
    for c in line + " ":
        if c.isalpha() or unicodedata.combining(c) or c == "'" and word:
            word += c
        elif word:
            found.append(word)
            word = ""
    return found


def ngrams(word):
    """The n-grams of a word: of 1 to 4 characters, its ends among them, and a short word whole."""
    word = f"_{word}_"
    for n in range(1, LONGEST_NGRAM + 1):
        for at in range(len(word) - n + 1):
            if word[at : at + n] != "_":
                yield word[at : at + n]
    if LONGEST_NGRAM < len(word) <= LONGEST_WORD + 2:
        yield word


def unaccented(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def is_held_out(line):
    return zlib.crc32(line.encode()) % HELD_OUT == 0


def lines_of(corpora, source, most, held_out=False):
    """At most so many lines of a source, drawn at random, held out or not."""
    path, _, tag = source.partition(":")
    path = os.path.join(corpora, path)
    if not os.path.exists(path):
        print(f"{path} is missing", file=sys.stderr)
        return []
    with open(path, encoding="utf-8", errors="ignore") as file:
        lines = [line.rstrip("\n") for line in file]
    if tag:
        lines = [line.split("\t", 1)[1] for line in lines if line.startswith(f"{tag}\t")]
    lines = sorted({line for line in lines if len(words(line)) > 1 and is_held_out(line) == held_out})
    return random.Random(source).sample(lines, min(most, len(lines)))


def samples(corpora):
    """Lists of words with the number of their class."""
    draw = random.Random(1)
    found = []
    for label, sources in enumerate(CLASSES.values()):
        for source, most in sources:
            lines = lines_of(corpora, source, most)
            times = min(MOST_TIMES, most // max(1, len(lines)))
            for line in lines * max(1, times):
                if draw.random() < 0.2:
                    line = unaccented(line)
                these = words(line)
                if draw.random() < 0.6:
                    length = draw.randint(1, 7)
                    start = draw.randrange(max(1, len(these) - length + 1))
                    these = these[start : start + length]
                found.append((these[:30], label))
    draw.shuffle(found)
    return found


def rows(data, index):
    """The rows of features as (offsets, ids), for the n-grams in an index."""
    ids, offsets = [], [0]
    for these, _ in data:
        for word in these:
            ids.extend(index[ngram] for ngram in ngrams(word) if ngram in index)
        offsets.append(len(ids))
    return np.array(offsets), np.array(ids, dtype=np.int64)


def train(data, index, epochs):
    """Softmax with AdaGrad over mini-batches."""
    offsets, ids = rows(data, index)
    labels = np.array([label for _, label in data])
    weights = np.zeros((len(index), len(CLASSES)), dtype=np.float32)
    squares = np.full_like(weights, 1e-3)
    order = np.random.default_rng(1)
    for epoch in range(epochs):
        loss = 0.0
        for batch in np.array_split(order.permutation(len(data)), max(1, len(data) // BATCH)):
            lengths = offsets[batch + 1] - offsets[batch]
            taken = np.concatenate([ids[offsets[row] : offsets[row + 1]] for row in batch])
            row_of = np.repeat(np.arange(len(batch)), lengths)
            scores = np.zeros((len(batch), len(CLASSES)), dtype=np.float32)
            np.add.at(scores, row_of, weights[taken])
            scores -= scores.max(axis=1, keepdims=True)
            probabilities = np.exp(scores)
            probabilities /= probabilities.sum(axis=1, keepdims=True)
            loss -= np.log(probabilities[np.arange(len(batch)), labels[batch]] + 1e-9).sum()
            probabilities[np.arange(len(batch)), labels[batch]] -= 1
            used, places = np.unique(taken, return_inverse=True)
            gradient = np.zeros((len(used), len(CLASSES)), dtype=np.float32)
            np.add.at(gradient, places, probabilities[row_of])
            gradient = gradient / len(batch) + L2 * weights[used]
            squares[used] += gradient**2
            weights[used] -= RATE * gradient / np.sqrt(squares[used])
        print(f"epoch {epoch + 1}: loss {loss / len(data):.4f}", file=sys.stderr)
    return weights


def main():
    corpora = sys.argv[1]
    output = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "detector.txt")
    data = samples(corpora)
    print(len(data), "samples", sorted(Counter(label for _, label in data).items()), file=sys.stderr)
    counts = Counter()
    for these, _ in data:
        counts.update({ngram for word in these for ngram in ngrams(word)})
    index = {ngram: at for at, (ngram, _) in enumerate(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:CANDIDATES])}
    weights = train(data, index, 2)
    weights -= weights.mean(axis=1, keepdims=True)
    gain = {ngram: float(np.abs(weights[at]).max()) * counts[ngram] ** 0.5 for ngram, at in index.items()}
    kept = sorted(sorted(gain, key=lambda ngram: (-gain[ngram], ngram))[:KEPT])
    index = {ngram: at for at, ngram in enumerate(kept)}
    weights = train(data, index, EPOCHS)
    weights -= weights.mean(axis=1, keepdims=True)
    steps = np.clip(np.rint(weights * STEPS), -39, 39).astype(int)
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"# Made by lm/detector.py. Each row is a character n-gram of words and its weights, in 1/{STEPS} nat from O, for:\n")
        file.write(" ".join(CLASSES) + "\n")
        # In the order of bytes, as Rust compares strings.
        for ngram in sorted(kept, key=lambda ngram: ngram.encode()):
            file.write(ngram + "\t" + "".join(chr(79 + step) for step in steps[index[ngram]]) + "\n")


if __name__ == "__main__":
    main()
