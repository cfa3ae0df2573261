#!/usr/bin/env python3
"""Times the training of the built-in models: python3 benches/training.py CORPUS [--words N] [--presets fast accurate]

CORPUS is cased English, one sentence per line, of which the first N words are read. The settings are those of lm/build.sh. Each model is
trained on all cores and on one thread, and both must have the same bytes. Needs only Python 3; on two cores it takes about 15 minutes.
"""

import argparse
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
MAJUSCULE = os.environ.get("MAJUSCULE", TOP / "target/dist/majuscule")
TARGETS = {"fast": 60, "accurate": 240}


def settings(preset):
    """Returns the arguments with which lm/build.sh trains the English model."""
    recipe = (TOP / "lm/build.sh").read_text(encoding="utf-8").replace("\\\n", " ")
    command = next(line for line in recipe.splitlines() if "train maxent" in line and f"$lang.{preset}" in line)
    numbers = re.search(r"^models (en .*)$", recipe, re.MULTILINE).group(1).split()
    # The first loop is for the spellings, the second for the lists.
    loops = re.findall(r"for list in (.*?); do", recipe.replace("$lang", "en"))
    values = {"$lang": "en"}
    for option, loop in zip(["spellings", "list"], loops):
        files = [TOP / "lexicons" / f"{name}.txt" for name in loop.split()]
        values["$" + option.rstrip("s") + "s"] = " ".join(f"--{option} {file}" for file in files if file.exists())
    values.update((f"${place}", number) for place, number in enumerate(numbers, 1))
    for name, value in values.items():
        command = command.replace(name, value)
    arguments = shlex.split(command)[1:]
    return arguments[: arguments.index("--pack")]


def first_words(corpus, words, path):
    """Copies the first lines, until they have this number of words; returns the number of words copied."""
    taken = 0
    with open(corpus, encoding="utf-8") as lines, open(path, "w", encoding="utf-8") as out:
        for line in lines:
            if taken >= words:
                break
            taken += len(line.split())
            out.write(line)
    return taken


def train(arguments, text, model):
    """Returns the seconds and the CPU seconds of a training."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([MAJUSCULE, *arguments, "--pack", model, text], capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", help="cased English, a sentence a line")
    parser.add_argument("--words", type=int, default=50_000_000, help="how many words of it (50 million)")
    parser.add_argument("--presets", nargs="+", choices=TARGETS, default=list(TARGETS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.txt")
        words = first_words(options.corpus, options.words, text)
        print(f"{words:,} words, {os.cpu_count()} cores\n")
        print("| model | threads | seconds | CPU seconds | words/s | target |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for preset in options.presets:
            packed = []
            for threads in ([], ["--threads", "1"]):
                model = os.path.join(folder, "model")
                seconds, cpu = train([*settings(preset), *threads], text, model)
                packed.append(pathlib.Path(model).read_bytes())
                os.remove(model)
                target = "" if threads else f"{TARGETS[preset]} s for 50 M words"
                name = "1" if threads else "all"
                print(f"| `{preset}` | {name} | {seconds:.1f} | {cpu:.1f} | {words / seconds:,.0f} | {target} |", flush=True)
            if packed[0] != packed[1]:
                sys.exit(f"{preset}: one thread makes other bytes than all cores")


if __name__ == "__main__":
    main()
