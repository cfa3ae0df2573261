#!/usr/bin/env python3
"""Builds the second part of lexicons/names.txt and lexicons/places.txt from corpora, and checks all lists against corpora.

    python3 lexicons/build.py CORPORA           writes the part after the line "# Built" of both lists
    python3 lexicons/build.py CORPORA --check   writes nothing; names the entries of all lists that the corpora contradict

CORPORA is a folder with the files of TEXTS below, plain or as .xz, and `lexicon/places/world-cities.csv`. Missing files are
named and left out. Only corpora with an open licence are read, and only facts are taken from them: that a word is a surname,
that a name is written with capitals, and how often. Needs only Python's standard library.
"""

import collections
import csv
import lzma
import pathlib
import re
import sys

# The texts of each language: Europarl v7, Common Voice, OpenSubtitles, ParlaMint, Bosque, GSD, Porttinari, Tatoeba.
TEXTS = {
    "en": ["train.en.europarl", "train/en/commonvoice.txt", "train/en/opensubtitles.en"],
    "pt": [
        "train/pt/bosque.publico-CP", "train/pt/bosque.folha-CF", "train/pt/gsd.train", "train/pt/porttinari.dev", "train/pt/porttinari.test",
        "train/pt/commonvoice.txt", "train/pt/opensubtitles.pt", "train/pt/opensubtitles.pt_br",
    ],
    "es": ["train/es/parlamint.txt", "train/es/europarl.es", "train/es/commonvoice.txt", "train/es/opensubtitles.es"],
    "fr": ["train/fr/europarl.fr", "train/fr/commonvoice.txt", "train/fr/opensubtitles.fr"],
    "nl": ["train/nl/commonvoice.txt", "train/nl/tatoeba.nl", "train/nl/opensubtitles.nl"],
}

HERE = pathlib.Path(__file__).resolve().parent
BUILT = "# Built"

# A word after another word or a comma: it does not begin its sentence, so its capital is evidence.
INSIDE = re.compile(r"(?<=[\w,;] )[^\W\d_][\w'’-]*")
CAPITAL = r"[A-ZÀ-ÖØ-ÞŁŚŠŽČĐİ][^\W\d_]+"
# Two to four words with capitals, possibly with the small words of names between them.
PHRASE = re.compile(rf"\b{CAPITAL}(?:[ -](?:(?:de|da|do|del|la|las|los|of|the|sur|upon|am) ){{0,2}}{CAPITAL}){{1,3}}")
# The titles before a surname in parliament and in speech.
TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Commissioner|Monsieur|Madame|señor|señora|Señor|Señora|senhor|senhora|Senhor|Senhora"
    r"|meneer|mevrouw|de heer)\.? "
    rf"((?:(?:van|de|der|den|von|van der|van den|di|da) )?{CAPITAL}(?:-{CAPITAL})?)(?![\w'’.-])"
)

# A surname must occur this often after a title, and a place this often inside sentences.
SURNAME_SEEN = 12
PLACE_SEEN = 12
# A word with a larger share of lower case than this in any of the five languages is no name.
LOWER_SHARE = 0.02
# Entries removed by hand: titles, and common words of languages whose corpora are too small to show that.
SKIP = set(
    """Bo Boden Brie Bam Calvo Cercas Commissioner Cámara Dalai Doorn Duff Eureka Fava Gao Groote Heide Horta Hu Jos Junker
    Kong Laan Langen Lanka Mariscal Meda Mr Mrs Noord Olympic Planalto Prado Putten Ribeira Ries Robles Roo Surra Toscano
    Vander""".split()
)


def main():
    corpora = pathlib.Path(sys.argv[1])
    counts = {language: count(corpora, language, names) for language, names in TEXTS.items()}
    if "--check" in sys.argv[2:]:
        check(counts)
        return
    places = read("places.txt", written=True)
    names = read("names.txt", written=True)
    places_built = sorted(set(cities(corpora, counts)) - set(places), key=order)
    taken = {entry.casefold() for entry in places + places_built}
    surnames = [name for name in surnames_of(counts) if name.casefold() not in taken]
    names_built = sorted(set(surnames) - set(names), key=order)
    write("places.txt", "city and region names of GeoNames that the corpora write with capitals", places_built)
    write("names.txt", "surnames that stand after a title in the corpora", names_built)


class Counts:
    """The counts of the texts of one language."""

    def __init__(self):
        self.forms = collections.Counter()
        self.phrases = collections.Counter()
        self.titled = collections.Counter()
        self.lower = collections.Counter()
        self.all = collections.Counter()


def count(corpora, language, names):
    counts = Counts()
    for name in names:
        text = open_text(corpora / name)
        if text is None:
            print(f"build.py: {name} is not there and is left out", file=sys.stderr)
            continue
        with text:
            for line in text:
                # A line in capitals is no evidence of case.
                if line.upper() == line:
                    continue
                counts.forms.update(INSIDE.findall(line))
                counts.phrases.update(PHRASE.findall(line))
                counts.titled.update(TITLE.findall(line))
    for form, seen in counts.forms.items():
        counts.all[form.lower()] += seen
        if form == form.lower():
            counts.lower[form] += seen
    print(f"build.py: {language}: {sum(counts.all.values())} words inside sentences", file=sys.stderr)
    return counts


def open_text(path):
    if path.exists():
        return open(path, encoding="utf-8", errors="replace")
    packed = path.with_name(path.name + ".xz")
    return lzma.open(packed, "rt", encoding="utf-8", errors="replace") if packed.exists() else None


def lower_share(counts, word):
    """Returns the largest share of lower case of the word in the languages where it is not rare."""
    word = word.lower()
    shares = [c.lower[word] / c.all[word] for c in counts.values() if c.all[word] >= 5]
    return max(shares, default=0.0)


def form_seen(counts, word):
    return sum(c.forms[word] for c in counts.values())


def cities(corpora, counts):
    """Yields the cities and regions of GeoNames that occur in the texts, as GeoNames writes them."""
    with open(corpora / "lexicon/places/world-cities.csv", encoding="utf-8", newline="") as rows:
        names = {name for row in csv.DictReader(rows) for name in (row["name"], row["subcountry"])}
    for name in names - SKIP:
        if not re.fullmatch(rf"{CAPITAL}(?:[ -](?:[^\W\d_]+))*", name):
            continue
        if " " in name:
            if sum(c.phrases[name] for c in counts.values()) >= PLACE_SEEN:
                yield name
        elif form_seen(counts, name) >= PLACE_SEEN and lower_share(counts, name) <= LOWER_SHARE:
            yield name


def surnames_of(counts):
    titled = collections.Counter()
    for c in counts.values():
        titled.update(c.titled)
    for name, seen in titled.items():
        last = name.split(" ")[-1]
        # A title is no name, though parliaments capitalize it: "Mr President" is also written "president".
        shouted = last == last.upper()
        if seen >= SURNAME_SEEN and not shouted and lower_share(counts, last) <= LOWER_SHARE and last not in SKIP:
            yield last


def read(name, written=False):
    """Returns the entries of a list, or only those before the line "# Built" if `written` is true."""
    entries = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if written and line.startswith(BUILT):
            break
        if line and not line.startswith("#"):
            entries.append(line)
    return entries


def write(name, what, entries):
    path = HERE / name
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(BUILT):
            break
        kept.append(line)
    lower = {entry.casefold() for entry in kept}
    entries = [entry for entry in entries if entry.casefold() not in lower]
    lines = kept + [f"{BUILT} by build.py: {what}; see README.md for sources and licences."] + entries
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"build.py: {name}: {len(entries)} entries built")


def check(counts):
    """Prints each entry of one word that some language writes in lower case most of the time."""
    for path in sorted(HERE.glob("*.txt")):
        if path.name.startswith(("abbreviations", "demonyms.pt", "demonyms.es", "demonyms.fr")):
            continue
        language = path.name.split(".")[1]
        among = {language: counts[language]} if language in counts else counts
        for entry in read(path.name):
            share = lower_share(among, entry)
            if " " not in entry and share > 0.5:
                print(f"{path.name}: {entry}: {share:.0%} in lower case")


def order(entry):
    return (entry.casefold(), entry)


if __name__ == "__main__":
    main()
