#!/usr/bin/env python3
"""Measures --lines paragraph and prints the tables of docs/reports/paragraphs.md: paragraphs.py CORPORA [--speed]

The texts are those that lm/paragraphs.py learns from, of which it leaves out the last 15 %, and others that it does not learn from. The program gets
them without paragraphs, with their capitals and punctuation, and some in small letters without punctuation (`--marks`). Two rivals: a paragraph at
every Nth sentence, and TextTiling (Hearst 1997: blocks of K sequences of W words, depth scores, a boundary at the sentence end nearest
to each valley). Their N, W, K and cutoff are chosen by F on the first part of the same text. With --speed
the CPU time that paragraphs add to `--marks`. CORPORA holds train/LANG/. The variable MAJUSCULE names another binary than
target/dist/majuscule. Needs only Python 3.
"""

import argparse
import bisect
import itertools
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter

TOP = pathlib.Path(__file__).resolve().parents[1]
MAJUSCULE = os.environ.get("MAJUSCULE", str(TOP / "target/dist/majuscule"))
sys.path.insert(0, str(TOP / "lm"))

import paragraphs as learned  # noqa: E402

# The texts: a title, the file and the reader.
TEXTS = [
    ("en, Changelog, turns", "train/en/changelog.txt", "turns"),
    ("en, bitcointranscripts, monologues", "train/en/bitcointranscripts.txt", "talk"),
    ("en, novels", "train/en/eltec.txt", "novel"),
    ("en, inaugural addresses", "train/en/political.inaugural.txt", "speech"),
    ("de, Bundestag", "train/de/bundestag-wp20.txt", "speech"),
    ("de, novels", "train/de/eltec.txt", "novel"),
    ("es, ParlaMint", "train/es/parlamint.txt", "speech"),
    ("es, speeches of Fernández de Kirchner", "train/es/cfk.txt", "speech"),
    ("es, novels", "train/es/eltec.txt", "novel"),
    ("fr, Assemblée nationale", "train/fr/an-mariage.txt", "speech"),
    ("fr, novels", "train/fr/eltec.txt", "novel"),
    ("it, novels", "train/it/eltec.txt", "novel"),
    ("pt, speeches of Rousseff", "train/pt/discursos-dilma.txt", "speech"),
    ("pt, novels", "train/pt/eltec.txt", "novel"),
    ("nl, Tweede Kamer", "train/nl/handelingen-tk70.txt", "speech"),
    ("nl, stories", "train/nl/gutenberg-oldspelling.txt", "novel"),
]
MARKED = ["en, Changelog, turns", "en, bitcointranscripts, monologues", "de, Bundestag", "de, novels"]
MOST = 5000


def every(count):
    return lambda gaps: [at % count == 0 for at in range(len(gaps.begins))]


def text_tiling(width, size, liberal):
    """Divides a text by TextTiling; the similarities are smoothed over three gaps, and two boundaries are never within three sequences."""

    def divide(gaps):
        flat = [word[: learned.STEM] if len(word) >= learned.CONTENT else "" for found in gaps.words for word in found]
        ends = list(itertools.accumulate(map(len, gaps.words)))
        sequences = [Counter(filter(None, flat[at : at + width])) for at in range(0, len(flat), width)]
        raw = []
        for gap in range(1, len(sequences)):
            left = sum(sequences[max(0, gap - size) : gap], Counter())
            right = sum(sequences[gap : gap + size], Counter())
            norm = sum(n * n for n in left.values()) * sum(n * n for n in right.values())
            raw.append(sum(n * right[stem] for stem, n in left.items()) / norm**0.5 if norm else 0.0)
        scores = [statistics.mean(raw[max(0, at - 1) : at + 2]) for at in range(len(raw))]
        depths = []
        for at, score in enumerate(scores):
            peaks = []
            for side in (scores[at::-1], scores[at:]):
                peak = score
                for other in side:
                    if other < peak:
                        break
                    peak = other
                peaks.append(peak)
            depths.append(sum(peaks) - 2 * score)
        begins = [True] + [False] * (len(gaps.begins) - 1)
        if len(depths) < 2:
            return begins
        cutoff = statistics.mean(depths) - statistics.pstdev(depths) * (1 if liberal else 0.5)
        chosen = []
        for at in sorted(range(len(depths)), key=lambda at: (-depths[at], at)):
            if depths[at] > max(cutoff, 0) and all(abs(at - other) > 3 for other in chosen):
                chosen.append(at)
        for at in chosen:
            word = (at + 1) * width
            after = bisect.bisect_left(ends, word)
            before = after - 1
            nearest = after if before < 0 or ends[min(after, len(ends) - 1)] - word <= word - ends[before] else before
            if nearest + 1 < len(begins):
                begins[nearest + 1] = True
        return begins

    return divide


def best(kinds, training):
    """Returns the way to divide that is chosen as the program's bias is, by F on training texts; those with fewer paragraphs come first."""
    return learned.fewest({divide: learned.f_score([(gaps.begins, divide(gaps)) for gaps in training]) for divide in kinds})


def letters(text):
    return sum(map(str.isalnum, text))


def written(lang, texts, marks):
    """Returns the paragraphs that the program makes of each text, as the sentences of the text that begin them."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in"), pathlib.Path(folder, "out")
        source.mkdir()
        flat = [[sentence for part in text for sentence in part] for text in texts]
        for at, sentences in enumerate(flat):
            text = " ".join(sentences)
            if marks:
                text = re.sub(r"[^\w\s'’-]|(?<!\w)['’-]|['’-](?!\w)", " ", text.lower())
            (source / f"{at:05}.txt").write_text(" ".join(text.split()) + "\n", encoding="utf-8")
        command = [MAJUSCULE, "restore", "--quiet", "--lang", lang, "--lines", "paragraph", *marks, "-o", f"{target}/", str(source)]
        subprocess.run(command, check=True)
        found = []
        for at, sentences in enumerate(flat):
            starts = list(itertools.accumulate(map(letters, sentences[:-1]), initial=0))
            begins = [False] * len(sentences)
            place = 0
            for part in (target / f"{at:05}.txt").read_text(encoding="utf-8").split("\n\n"):
                after = bisect.bisect_left(starts, place)
                near = [other for other in (after - 1, after) if 0 <= other < len(starts)]
                begins[min(near, key=lambda other: abs(starts[other] - place))] = True
                place += letters(part)
            found.append(begins)
        return found


def windows(pairs):
    """Returns Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and Hearst 2002) in percent; a window is half a mean paragraph."""
    size = max(2, round(sum(len(right) for right, _ in pairs) / sum(map(sum, (right for right, _ in pairs))) / 2))
    count = parted = other = 0
    for right, found in pairs:
        sums = [list(itertools.accumulate(list_, initial=0)) for list_ in (right, found)]
        for at in range(1, len(right) - size + 1):
            inside = [list_[at + size] - list_[at] for list_ in sums]
            count += 1
            parted += (inside[0] > 0) != (inside[1] > 0)
            other += inside[0] != inside[1]
    return 100 * parted / max(1, count), 100 * other / max(1, count)


def cells(pairs):
    _, right, found = map(sum, zip(*(learned.matches(*pair) for pair in pairs)))
    same = sum(one and other for pair in pairs for one, other in list(zip(*pair))[1:])
    figures = (learned.f_score(pairs), 200 * same / max(1, right + found), *windows(pairs))
    return [*(f"{figure:.1f}" for figure in figures), f"{found / right:.2f}"]


def row(fields):
    return "| " + " | ".join(fields) + " |"


def cpu_seconds(command):
    """Returns the least CPU time of three runs."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def speed(texts):
    """Prints the CPU time that paragraphs add to --marks."""
    print("| model | `--marks` | and `--lines sentence` | and `--lines paragraph` | more |\n| --- | ---: | ---: | ---: | ---: |")
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        text = " ".join(sentence for text in texts for part in text for sentence in part)
        file.write(" ".join(re.sub(r"[^\w\s'’-]", " ", text.lower()).split()) + "\n")
        file.flush()
        for preset in ("fast", "accurate"):
            command = [MAJUSCULE, "restore", "--quiet", "--lang", "en", "--preset", preset, "--marks", file.name]
            plain, lines, divided = (cpu_seconds([*command, *more]) for more in ([], ["--lines=sentence"], ["--lines=paragraph"]))
            more = [f"{seconds:.2f}" for seconds in (plain, lines, divided)]
            print(row([f"`{preset}`", *more, f"{100 * (divided / plain - 1):.1f} %"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("--speed", action="store_true")
    arguments = parser.parse_args()
    if arguments.speed:
        return speed(learned.texts(arguments.corpora / "train/en/changelog.txt", "turns", True, 8000))
    weights = learned.read(TOP / "crates/text/src/paragraphs.txt")
    figures = ["F", "F, exact", "Pk", "WindowDiff", "paragraphs"]
    print("| text | sentences | method | " + " | ".join(figures) + " |\n| --- | ---: | --- |" + " ---: |" * len(figures))
    same = total = 0
    for title, path, reader in TEXTS:
        lang = title[:2]
        training = [learned.Gaps(text) for text in learned.texts(arguments.corpora / path, reader, False, MOST)]
        texts = learned.texts(arguments.corpora / path, reader, True, MOST)
        tests = [learned.Gaps(text) for text in texts]
        program = written(lang, texts, [])
        twin = [learned.divide(gaps, learned.scorer(gaps, lang, weights)) for gaps in tests]
        total += sum(map(len, twin))
        same += sum(one == other for pair in zip(program, twin) for one, other in zip(*pair))
        methods = {"`--lines paragraph`": program}
        if title in MARKED:
            methods["the same with `--marks`, of bare text"] = written(lang, texts, ["--marks"])
        counts = range(15, 0, -1)
        number = best([every(count) for count in counts], training)
        methods["every Nth sentence"] = [number(gaps) for gaps in tests]
        tiling = best([text_tiling(*kind) for kind in itertools.product((20, 10), (10, 4, 2), (False, True))], training[:100])
        methods["TextTiling"] = [tiling(gaps) for gaps in tests]
        for method, found in methods.items():
            pairs = [(gaps.begins, begins) for gaps, begins in zip(tests, found)]
            print(row([title, str(sum(map(len, twin))), method, *cells(pairs)]), flush=True)
    print(f"\nThe program and the same model in `lm/paragraphs.py` agree on {100 * same / total:.1f} % of the sentences.")


if __name__ == "__main__":
    main()
