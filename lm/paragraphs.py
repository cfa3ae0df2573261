#!/usr/bin/env python3
"""Learns the weights of paragraphs: python3 lm/paragraphs.py CORPORA > crates/text/src/paragraphs.txt

CORPORA is a folder with the folders train/LANG; lm/README.md says where the texts are from. Each line of them is a
paragraph. Needs only Python 3; all draws are seeded, and a run takes five minutes.

The model is that of crates/text/src/paragraphs.rs: logistic regression by AdaGrad over the gaps between sentences, with
the length of the paragraph so far taken from the text. All languages share the weights, except for those of the first
two words of a sentence. Each text has a bias of its own in training, since one writer's paragraphs are thrice as long
as another's; the bias of the file is the least that divides the training texts with a mean F within two points of the best.

The last 15 % of each text are held out, and 2 % before them are left out, so that no book or talk is in both parts.
benches/paragraphs.py measures the program on them.
"""

import math
import pathlib
import random
import re
import sys
from collections import Counter, defaultdict

# The texts that are learned from: the reader, the weight, and the sentences that are drawn.
SOURCES = {
    "en/changelog.txt": ("turns", 1, 30000),
    "en/bitcointranscripts.txt": ("talk", 1, 30000),
    "en/eltec.txt": ("novel", 0.5, 15000),
    "de/bundestag-wp20.txt": ("speech", 1, 30000),
    "de/german-speeches.txt": ("speech", 1, 30000),
    "de/eltec.txt": ("novel", 0.5, 15000),
    "es/parlamint.txt": ("speech", 1, 30000),
    "es/eltec.txt": ("novel", 0.5, 15000),
    "fr/an-mariage.txt": ("speech", 1, 30000),
    "fr/eltec.txt": ("novel", 0.5, 15000),
    "it/eltec.txt": ("novel", 0.5, 15000),
    "pt/eltec.txt": ("novel", 0.5, 15000),
}
# As in crates/text/src/paragraphs.rs.
BLOCK, WINDOW, LONGEST, SHORTEST, CONTENT, STEM = 3, 96, 400, 5, 5, 6
PARAGRAPH_WORDS = [0, 8, 24, 56, 120, 248, 504]
SENTENCE_WORDS = [0, 4, 8, 16, 32, 64]
# The most frequent opening words get a weight if they are no names; weights below the least are dropped.
OPENINGS, LEAST = 300, 0.2
# The pull of the weight of an opening word to zero.
DECAY = 0.005

WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W_]+)*")
END = re.compile(r"(?<=[.?!…])[\"”»’')\]]*\s+(?=[\"“«¿¡(\[—–-]*\s?[^\W_a-zà-ÿ])")
ABBREVIATIONS = set("mr mrs ms dr prof st sr sra dra no vs etc m mme hr fr bzw sig jr nr art pág vgl ca".split())
DIALOGUE = re.compile(r"\s*[\"“«„»—–‘-]")


def sentences(paragraph):
    """Returns the sentences of a paragraph as texts."""
    found, start = [], 0
    for end in END.finditer(paragraph):
        last = WORD.findall(paragraph[max(start, end.start() - 20) : end.start()])
        last = last[-1].lower() if last else ""
        if paragraph[end.start() - 1] == "." and (last in ABBREVIATIONS or len(last) == 1 or "." in last):
            continue
        found.append(paragraph[start : end.start() + len(end.group().rstrip())])
        start = end.end()
    return [text.strip() for text in [*found, paragraph[start:]] if WORD.search(text)]


def runs(lines, is_part, least):
    """Yields the runs of at least so many lines that are part of a text; other lines end it."""
    run = []
    for line in [*lines, None]:
        if line is not None and is_part(line):
            run.append(line)
            continue
        if len(run) >= least:
            yield run
        run = []


def novel(lines):
    """Narration: the dialogue of a novel, with a paragraph for each turn, is left out."""
    return runs(lines, lambda line: not DIALOGUE.match(line), 4)


def speech(lines):
    """Speeches: what has fewer than ten words, such as a heckle, ends one."""
    return runs(lines, lambda line: len(line.split()) >= 10 and not line.startswith(("#", "**")), 4)


def talk(lines):
    """Monologues: a line of fewer than thirty words is a turn of a conversation."""
    return runs(lines, lambda line: len(line.split()) >= 30 and not re.match("[QA] -", line), 5)


def turns(lines):
    """The turns of at least sixty words of a transcript with `**Name:**` before each."""
    turn = []
    for line in [*lines, ""]:
        if not line.strip() or line.startswith(("**", "#")):
            if sum(len(part.split()) for part in turn) >= 60:
                yield turn
            turn = []
        if line.strip() and not line.startswith("#"):
            turn.append(re.sub(r"^\*\*[^*]*\*\*|\\?\[[^\]]*\]", "", line).strip())


READERS = {"novel": novel, "speech": speech, "talk": talk, "turns": turns}


def texts(path, reader, is_held_out, most):
    """Draws texts: lists of paragraphs, which are lists of sentences."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = lines[int(0.85 * len(lines)) :] if is_held_out else lines[: int(0.83 * len(lines))]
    drawn, count = [], 0
    found = list(READERS[reader](lines))
    random.Random(1).shuffle(found)
    for text in found:
        text = [part for part in map(sentences, text) if part]
        if len(text) > 0 and count < most:
            drawn.append(text)
            count += sum(map(len, text))
    return drawn


def words(sentence):
    return [word.lower().replace("’", "'") for word in WORD.findall(sentence)]


class Gaps:
    """The sentences of a text with what the model sees of them."""

    def __init__(self, text):
        flat = [sentence for part in text for sentence in part]
        self.begins = [at == 0 for part in text for at in range(len(part))]
        self.words = [words(sentence) for sentence in flat]
        self.asked = ["?" in sentence[-3:] for sentence in flat]
        self.stems = [
            [(at, word[:STEM]) for at, word in enumerate(found[:WINDOW]) if len(word) >= CONTENT] for found in self.words
        ]

    def block(self, order):
        stems, count = Counter(), 0
        for at in order:
            stems.update(stem for before, stem in self.stems[at] if count + before < WINDOW)
            count += len(self.words[at])
        return stems

    def cohesion(self, at, size):
        left = self.block(range(at - 1, max(at - 1 - size, -1), -1))
        right = self.block(range(at, min(at + size, len(self.words))))
        product = sum(count * right[stem] for stem, count in left.items() if stem in right)
        norm = sum(n * n for n in left.values()) * sum(n * n for n in right.values())
        return product / math.sqrt(norm) if product else 0.0

    def features(self, at, lang):
        """Yields the features of the gap before a sentence that do not depend on the paragraph so far."""
        yield "bias", 1.0
        if self.asked[at - 1]:
            yield "asked", 1.0
        yield from hats("last", SENTENCE_WORDS, len(self.words[at - 1]))
        yield from hats("next", SENTENCE_WORDS, len(self.words[at]))
        for place, size in enumerate([1, BLOCK]):
            yield f"cohesion {place}", self.cohesion(at, size)
        for place, word in enumerate(self.words[at][:2]):
            yield f"{lang}.{place + 1} {word}", 1.0


def hats(name, points, x):
    """Yields the two features of a weight that is linear between points."""
    if x >= points[-1]:
        yield f"{name} {len(points) - 1}", 1.0
        return
    above = next(at for at, point in enumerate(points) if point > x)
    part = (x - points[above - 1]) / (points[above] - points[above - 1])
    yield f"{name} {above - 1}", 1.0 - part
    yield f"{name} {above}", part


def so_far(count, length):
    yield from hats("words", PARAGRAPH_WORDS, length)
    yield f"sentences {min(count, 4) - 1}", 1.0


def examples(gaps, lang):
    count, length = 1, len(gaps.words[0])
    for at in range(1, len(gaps.words)):
        yield [*gaps.features(at, lang), *so_far(count, length)], gaps.begins[at]
        if gaps.begins[at]:
            count = length = 0
        count, length = count + 1, length + len(gaps.words[at])


def divide(gaps, score):
    """Divides a text as the program does; `score` returns the log-odds of a gap, a length and a number of sentences."""
    begins, count, length = [True], 1, len(gaps.words[0])
    for at in range(1, len(gaps.words)):
        rest = sum(map(len, gaps.words[at : at + BLOCK]))
        begins.append(length >= LONGEST or min(length, rest) >= SHORTEST and score(at, count, length) > 0)
        if begins[-1]:
            count = length = 0
        count, length = count + 1, length + len(gaps.words[at])
    return begins


def matches(right, found):
    """Returns the boundaries that are matched one to one within one sentence, those of the text, and those found."""
    right, found = ({at for at, begins in enumerate(list_) if begins and at} for list_ in (right, found))
    same, missed, wrong = right & found, right - found, sorted(found - right)
    near = 0
    for at in wrong:
        for other in (at - 1, at + 1):
            if other in missed:
                missed.discard(other)
                near += 1
                break
    return len(same) + near, len(right), len(found)


def f_score(pairs):
    hits, right, found = map(sum, zip(*(matches(*pair) for pair in pairs)))
    return 200 * hits / max(1, right + found)


def opening_words(drawn, lang):
    """Returns the most frequent opening words that are in small letters elsewhere: no names."""
    counts, inner = [Counter(), Counter()], Counter()
    for text in drawn:
        for sentence in (sentence for part in text for sentence in part):
            found = [word.replace("’", "'") for word in WORD.findall(sentence)]
            inner.update(found[1:])
            for place, word in enumerate(found[:2]):
                counts[place][word.lower()] += 1
    is_word = lambda word: inner[word] >= inner[word.capitalize()] or lang == "en" and re.match("i('|$)", word)
    return {
        f"{lang}.{place + 1} {word}"
        for place, count in enumerate(counts)
        for word, _ in count.most_common(OPENINGS)
        if is_word(word)
    }


def learn(sources):
    """Returns the weights, with a bias for each source."""
    data, kept, by_lang = [], set(), defaultdict(list)
    for (path, _), drawn in sources.items():
        by_lang[path[:2]] += drawn
    for lang, drawn in by_lang.items():
        kept |= opening_words(drawn, lang)
    for (path, weight), drawn in sources.items():
        for text in drawn:
            for features, begins in examples(Gaps(text), path[:2]):
                # Opening words and the bias of each text are the only names with a full stop.
                features = [(name, value) for name, value in features if "." not in name or name in kept]
                data.append(([*features, (f"bias.{path}", 1.0)], begins, weight))
    weights, squares = defaultdict(float), defaultdict(lambda: 1.0)
    draw = random.Random(1)
    for epoch in range(4):
        draw.shuffle(data)
        for features, begins, weight in data:
            score = sum(weights[name] * value for name, value in features)
            error = weight * (1 / (1 + math.exp(-max(-30, min(30, score)))) - begins)
            for name, value in features:
                gradient = error * value + (DECAY * weights[name] if " " in name and "." in name else 0.0)
                squares[name] += gradient * gradient
                weights[name] -= 0.3 / (1 + epoch) * gradient / math.sqrt(squares[name])
    return weights


def scorer(gaps, lang, weights):
    fixed = [sum(weights.get(name, 0.0) * value for name, value in gaps.features(at, lang)) for at in range(1, len(gaps.words))]
    return lambda at, count, length: fixed[at - 1] + sum(
        weights.get(name, 0.0) * value for name, value in so_far(count, length)
    )


def choose_bias(sources, weights):
    """Sets the bias to the one with the best mean F on the training texts."""
    scored = []
    for (path, weight), drawn in sources.items():
        found = [Gaps(text) for text in drawn[:150]]
        scored.append((weight, [(gaps, scorer(gaps, path[:2], weights)) for gaps in found]))

    def mean_f(more):
        pairs = lambda texts: [(g.begins, divide(g, lambda *gap: score(*gap) + more)) for g, score in texts]
        return sum(weight * f_score(pairs(texts)) for weight, texts in scored) / sum(weight for weight, _ in scored)

    found = {step / 4: mean_f(step / 4) for step in range(9)}
    print("bias: F:", *(f"{more}: {f:.1f}" for more, f in found.items()), file=sys.stderr)
    weights["bias"] += fewest(found)


def fewest(found):
    """Returns the first of several settings whose F is within two points of the best: fewer paragraphs have a better WindowDiff."""
    return next(setting for setting, f in found.items() if f > max(found.values()) - 2)


def written(weights):
    """Yields the lines of the file."""
    yield "# The weights of crates/text/src/paragraphs.rs in hundredths, written by lm/paragraphs.py."
    numbers = lambda name, count: " ".join(str(round(100 * weights[f"{name} {at}"])) for at in range(count))
    yield from (f"{name}\t{round(100 * weights[name])}" for name in ("bias", "asked"))
    for name, count in [
        ("words", len(PARAGRAPH_WORDS)),
        ("sentences", 4),
        ("last", len(SENTENCE_WORDS)),
        ("next", len(SENTENCE_WORDS)),
        ("cohesion", 2),
    ]:
        yield f"{name}\t{numbers(name, count)}"
    openings = defaultdict(list)
    for name, weight in sorted(weights.items()):
        if " " in name and "." in name.split(" ")[0] and abs(weight) >= LEAST:
            openings[name.split(" ")[0]].append(f"{name.split(' ')[1]} {round(100 * weight)}")
    yield from (f"{name}\t{' '.join(words)}" for name, words in sorted(openings.items()))


def read(path):
    """Returns the weights of a file."""
    weights = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        name, values = line.split("\t")
        values = values.split(" ")
        if "." in name:
            weights |= {f"{name} {word}": int(weight) / 100 for word, weight in zip(values[::2], values[1::2])}
        elif len(values) > 1:
            weights |= {f"{name} {at}": int(weight) / 100 for at, weight in enumerate(values)}
        else:
            weights[name] = int(values[0]) / 100
    return weights


def main():
    corpora = pathlib.Path(sys.argv[1])
    sources = {
        (path, weight): texts(corpora / "train" / path, reader, False, most)
        for path, (reader, weight, most) in SOURCES.items()
    }
    weights = learn(sources)
    choose_bias(sources, weights)
    print(*written(weights), sep="\n")


if __name__ == "__main__":
    main()
