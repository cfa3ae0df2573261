#!/usr/bin/env python3
"""Counts the instructions of a release build on small inputs, and compares them with benches/instructions.json.

Usage: instructions.py [PROGRAM] [--bless]

PROGRAM is by default target/dist/majuscule, as `cargo build --profile dist -p majuscule-cli` makes it. The texts come from examples/small.
Start-up and the loading of a model have rows of their own, and are subtracted from the others. A count of more than 3 % above the figure in the
file is an error, of a start more than 25 %: it depends on the features of the build, whose addresses the loader sets. --bless writes the file; say in the change why. Counts depend on the compiler: where valgrind is missing, or the compiler or the
kind of machine is another one, the script says so and succeeds. It takes half a minute on two idle cores.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
FIGURES = TOP / "benches/instructions.json"
TEXT = TOP / "examples/small/train.txt"
LIMIT, START_LIMIT = 1.03, 1.25

# A start reads this many lines, and a whole input so many. A network computes some thousand times as many instructions for a word.
START, LINES, NETWORK_LINES = 2, 300, 6

# cachegrind without its caches counts what callgrind does, in half the time.
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}"]


def plain(lines):
    return "".join(f"{line}\n" for line in lines)


def subtitles(lines):
    """Makes a cue of two rows of each line."""
    cues = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        rows = " ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])
        minutes, seconds = divmod(4 * number, 60)
        cues.append(f"{number}\n00:{minutes:02}:{seconds:02},000 --> 00:{minutes:02}:{seconds + 3:02},500\n{rows[0]}\n{rows[1]}\n\n")
    return "".join(cues)


def records(lines):
    return "".join(json.dumps({"id": number, "text": line}) + "\n" for number, line in enumerate(lines))


FORMS = {"text": (plain, ".txt"), "srt": (subtitles, ".srt"), "jsonl": (records, ".jsonl"), "stream": (plain, ".txt")}


def cases():
    """Yields the name of each run, its arguments, its form, its lines, and the name of the start to subtract, if it is not one itself."""
    restore = ["restore", "--threads", "1"]
    for preset in ["fast", "accurate"]:
        chosen = [*restore, "--preset", preset]
        start = f"start, {preset}"
        yield start, chosen, "text", START, None
        for form in FORMS:
            for marks in [False, True]:
                arguments = chosen + ["--stream"] * (form == "stream") + ["--marks=all"] * marks
                yield f"restore {form}, {preset}" + ", marks" * marks, arguments, form, LINES, start
    network = [*restore, "--model", TOP / "lm/networks/en.best"]
    yield "start, network", network, "text", START, None
    yield "restore text, network", network, "text", NETWORK_LINES, "start, network"
    score = ["lm", "score", "--plain", "model.lm"]
    yield "start, lm score", score, "text", START, None
    yield "lm score", score, "text", LINES, "start, lm score"


def count(program, arguments, form, lines, folder):
    """Returns the number of instructions of one run."""
    make, ending = FORMS[form]
    with tempfile.NamedTemporaryFile("w+", suffix=ending, dir=folder, encoding="utf-8") as text:
        text.write(make(lines))
        text.seek(0)
        command = [*VALGRIND, program, *arguments]
        # A stream reads standard input: a file, whose bytes arrive alike each time. The environment is the same everywhere, too.
        run = subprocess.run(
            command if form == "stream" else [*command, text.name],
            stdin=text,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            text=True,
            errors="replace",
        )
    found = re.search(r"I +refs: +([\d,]+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{program} {' '.join(map(str, arguments))} failed under valgrind ({run.returncode}):\n{run.stderr}")
    return int(found.group(1).replace(",", ""))


def measure(program, cased):
    """Returns the instructions of all cases."""
    lower = [re.sub(r"[^\w\s']", "", line).lower() for line in cased]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        folder = Path(folder)
        # A copy without symbols, which valgrind would read each time.
        program = shutil.copy(program, folder / "majuscule")
        if shutil.which("strip"):
            subprocess.run(["strip", program], check=True)
        (folder / "train.txt").write_text(plain(cased), encoding="utf-8")
        train = ["lm", "train", "--order", "3", "--discount-fallback", "train.txt", "-o", "model.lm"]
        subprocess.run([program, *train], check=True, cwd=folder, capture_output=True)
        runs = [(name, threads.submit(count, program, arguments, form, lower[:lines], folder), start) for name, arguments, form, lines, start in cases()]
        counts = {name: run.result() for name, run, _ in runs}
    return {name: counts[name] - (counts[start] if start else 0) for name, _, start in runs}


def differs(setting, written):
    """Prints why the figures cannot be compared here; returns true if they cannot."""
    for key, here in setting.items():
        if written.get(key) != here:
            print(f"instructions: the figures in {FIGURES.name} are of {written.get(key)}, but here is {here}: none are counted")
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=TOP / "target/dist/majuscule")
    parser.add_argument("--bless", action="store_true", help="write the figures")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        print("instructions: no valgrind here: none are counted")
        return
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    setting = {"machine": f"{platform.system()} {platform.machine()}", "rustc": rustc}
    cased = TEXT.read_text(encoding="utf-8").splitlines()
    crc32 = zlib.crc32(plain(cased).encode())
    written = {} if args.bless else json.loads(FIGURES.read_text())
    if not args.bless and differs(setting, written):
        return
    if not args.bless and written["text_crc32"] != crc32:
        sys.exit(f"instructions: {TEXT.relative_to(TOP)} has changed: write the figures anew with --bless")
    figures = measure(args.program.resolve(), cased)
    if args.bless:
        written = {**setting, "text_crc32": crc32, "instructions": figures}
        FIGURES.write_text(json.dumps(written, indent=1) + "\n")
    before = written["instructions"]
    if figures.keys() != before.keys():
        sys.exit("instructions: the cases have changed: write the figures anew with --bless")
    print(f"{'instructions':34} {'here':>13} {'in the file':>13}")
    for name, here in figures.items():
        print(f"{name:34} {here:13,} {before[name]:13,} {here / before[name] - 1:+8.2%}")
    limit = {name: LIMIT if start else START_LIMIT for name, _, _, _, start in cases()}
    worse = [name for name, here in figures.items() if here > limit[name] * before[name]]
    if worse:
        sys.exit(f"instructions: more than the limit above {FIGURES.name}: {'; '.join(worse)}: find the cause, or write the figures anew with --bless and say why")


if __name__ == "__main__":
    main()
