#!/usr/bin/env python3
"""Compares majuscule with the Rust crate truecase, sacremoses and PyPI's truecase on the same text in one run. See README.md in this folder."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
MARKS = re.compile(r"[^\w\s'’-]")
# Letters with full stops between them: the stops are removed, and the letters stay together.
INITIALISM = re.compile(r"\b(?:[^\W\d_]\.){2,}")
EDGES = re.compile(r"(?<!\w)['’-]+|['’-]+(?!\w)")


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        reference = reference_text(options, folder)
        lower = folder / "lower.txt"
        lower.write_text("".join(map(lower_letter, reference.read_text(encoding="utf-8"))), encoding="utf-8")
        words = len(lower.read_text(encoding="utf-8").split())
        say(f"{words} words in {reference_lines(reference)} lines")
        systems = majuscule_systems(options, folder) + crate_systems(options, folder) + peer_systems(options, folder)
        if not systems:
            sys.exit("compare.py: nothing to compare: no majuscule binary and no peer")
        rows = measure(options, folder, systems, reference, lower, words)
    report(options, rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("test", type=pathlib.Path, help="cased text, one sentence a line")
    parser.add_argument("--train", type=pathlib.Path, help="cased text, one sentence a line, for what can be trained")
    parser.add_argument("--train-lines", type=int, metavar="N", help="only the first N lines of it")
    parser.add_argument("--protocol", default="rei", help="what `majuscule score` counts: batista, rei, susanto, asr [%(default)s]")
    parser.add_argument("--marks", choices=["keep", "remove"], default="remove",
                        help="whether the systems see punctuation [%(default)s; --protocol asr always removes it]")
    parser.add_argument("--window", type=int, default=200, metavar="N", help="words a line under --protocol asr [%(default)s]")
    parser.add_argument("--majuscule", type=pathlib.Path, default=TOP / "target/dist/majuscule", help="[%(default)s]")
    parser.add_argument("--lang", default="en", help="language of the embedded model; PyPI's truecase takes part in English only [%(default)s]")
    parser.add_argument("--environment", type=pathlib.Path, default=TOP / "target/peers", help="virtual environment of the peers [%(default)s]")
    parser.add_argument("--copies", type=int, default=1, metavar="N",
                        help="the text N times over for the timing, so that start-up weighs less [%(default)s]")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each, the fastest counts [%(default)s]")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for path in filter(None, [options.test, options.train]):
        if not path.is_file():
            parser.error(f"{path} is no file")
    return options


def say(message):
    print(f"compare.py: {message}", file=sys.stderr, flush=True)


def reference_text(options, folder):
    """Writes the cased reference for all answers: the test file, without marks or in windows if the options say so."""
    lines = options.test.read_text(encoding="utf-8-sig").splitlines()
    if options.marks == "remove" or options.protocol == "asr":
        lines = [without_marks(line) for line in lines]
    if options.protocol == "asr":
        words = [word for line in lines for word in line.split()]
        lines = [" ".join(words[at : at + options.window]) for at in range(0, len(words), options.window)]
    path = folder / "reference.txt"
    path.write_text("".join(line + "\n" for line in lines if line.strip()), encoding="utf-8")
    return path


def without_marks(line):
    line = INITIALISM.sub(lambda found: found.group().replace(".", ""), line)
    return " ".join(EDGES.sub(" ", MARKS.sub(" ", line)).split())


def lower_letter(letter):
    """Returns a letter in lower case, or the letter itself if its lower case is several letters."""
    lower = letter.lower()
    return lower if len(lower) == 1 else letter


def reference_lines(path):
    with open(path, encoding="utf-8") as lines:
        return sum(1 for _ in lines)


def majuscule_systems(options, folder):
    """Returns the built-in models, and `majority` trained on the same text as sacremoses."""
    binary = options.majuscule
    if not binary.is_file():
        say(f"{binary} is not there: build it with cargo build --profile dist; majuscule is left out")
        return []
    # As with the peers: one thread, and a capital at the start of each line if lines are sentences.
    start = "auto" if options.protocol == "asr" else "always"
    restore = [binary, "restore", "--case", "ignore", "--sentence-start", start, "--threads", "1"]
    systems = [
        ("majuscule, accurate", [*restore, "--lang", options.lang]),
        ("majuscule, fast", [*restore, "--lang", options.lang, "--preset", "fast"]),
    ]
    if options.train:
        model = folder / "majority"
        command = [binary, "train", "majority", training_text(options, folder), "--lang", options.lang, "--force", "-o", model]
        if attempt("majuscule train majority", command):
            systems.append(("majuscule, majority on the same text", [*restore, "--model", model]))
    return systems


def crate_systems(options, folder):
    """Returns the Rust crate truecase, trained on the same text as sacremoses."""
    peer = options.majuscule.parent / "examples" / "truecase_peer"
    if not options.train:
        return []
    if not peer.is_file():
        say(f"{peer} is not there: build it with cargo build --profile dist --example truecase_peer; the crate truecase is left out")
        return []
    model = folder / "truecase.json"
    with open(training_text(options, folder), encoding="utf-8") as text:
        if not attempt("the crate truecase, training", [peer, "train", model], stdin=text):
            return []
    # Each line is a sentence, except in text like recogniser output.
    return [("truecase (crate)", [peer, "phrases" if options.protocol == "asr" else "sentences", model])]


def peer_systems(options, folder):
    python = environment(options.environment)
    if python is None:
        return []
    systems = []
    if options.train:
        asr = ["asr"] if options.protocol == "asr" else []
        model = folder / "moses"
        train = [python, HERE / "peer.py", "moses-train", model, *asr]
        with open(training_text(options, folder), encoding="utf-8") as text:
            if attempt("sacremoses, training", train, stdin=text):
                name = "sacremoses --asr" if asr else "sacremoses"
                systems.append((name, [python, HERE / "peer.py", "moses", model, *asr]))
    else:
        say("no --train: sacremoses and the crate truecase have nothing to learn from and are left out")
    if options.lang == "en":
        systems.append(("truecase (PyPI)", [python, HERE / "peer.py", "truecase"]))
    return systems


def training_text(options, folder):
    """Returns the training file, or a file of its first lines."""
    if options.train_lines is None:
        return options.train
    path = folder / "train.txt"
    if not path.exists():
        with open(options.train, encoding="utf-8") as lines, open(path, "w", encoding="utf-8") as first:
            for _, line in zip(range(options.train_lines), lines):
                first.write(line)
    return path


def environment(folder):
    """Returns a Python with the peers, and installs it first if necessary; None if that fails."""
    python = folder / "bin" / "python"
    ready = [python, "-c", "import sacremoses, truecase"]
    if python.exists() and subprocess.run(ready, capture_output=True).returncode == 0:
        return python
    say(f"making a virtual environment in {folder}")
    steps = [
        ("making a virtual environment", [sys.executable, "-m", "venv", folder]),
        ("installing the peers", [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                                  "-r", HERE / "requirements.txt"]),
        ("importing the peers", ready),
    ]
    return python if all(attempt(what, command) for what, command in steps) else None


def attempt(what, command, stdin=None):
    """Runs a step and returns True if it succeeded; if it fails, prints a message, and the other steps still run."""
    result = subprocess.run([str(part) for part in command], stdin=stdin or subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        say(f"{what} failed and is left out: {last}")
    return result.returncode == 0


def measure(options, folder, systems, reference, lower, words):
    """Runs the systems in turns, so that a busy machine slows all alike, and scores the last answer of each."""
    timed = lower
    if options.copies > 1:
        timed = folder / "timed.txt"
        timed.write_text(lower.read_text(encoding="utf-8") * options.copies, encoding="utf-8")
    rows = [{"system": name, "seconds": None, "memory": None, "score": None} for name, _ in systems]
    for turn in range(options.repeat):
        for row, (name, command) in zip(rows, systems):
            if "failed" in row:
                continue
            say(f"{name}, run {turn + 1} of {options.repeat}")
            seconds, memory, code = timed_run(command, timed, folder / "timed.out")
            if code != 0:
                say(f"{name} failed with exit code {code}")
                row["failed"] = code
                continue
            row["seconds"] = min(seconds, row["seconds"] or seconds)
            row["memory"] = max(memory, row["memory"] or 0)
    for row, (name, command) in zip(rows, systems):
        row["words_per_second"] = words * options.copies / row["seconds"] if row["seconds"] else None
        if "failed" not in row:
            answer = folder / "answer.txt"
            timed_run(command, lower, answer)
            row["score"] = score(options, reference, answer, name)
    return rows


def timed_run(command, source, target):
    """Returns the seconds, the peak resident memory in bytes and the exit code of a whole process."""
    with open(source, "rb") as text, open(target, "wb") as answer:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdin=text, stdout=answer)
        memory = Memory(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    # The fallback for memory, ru_maxrss, is in bytes on macOS and in KiB on other systems.
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, memory.stop() or usage.ru_maxrss * unit, process.returncode


class Memory(threading.Thread):
    """Reads the peak resident memory of a process while it runs (Linux only). The system's own figure at the end, ru_maxrss, is
    never less than the memory of this script when it started the process."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.status = pathlib.Path(f"/proc/{pid}/status")
        self.bytes = None
        self.done = threading.Event()
        self.start()

    def run(self):
        while True:
            try:
                found = re.search(r"^VmHWM:\s*(\d+) kB", self.status.read_text(), re.MULTILINE)
            except OSError:
                return
            if found:
                self.bytes = int(found.group(1)) * 1024
            if self.done.wait(0.002):
                return

    def stop(self):
        self.done.set()
        self.join()
        return self.bytes


def score(options, reference, answer, name):
    if not options.majuscule.is_file():
        return None
    command = [options.majuscule, "score", reference, answer, "--protocol", options.protocol, "--json"]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        say(f"scoring {name} failed: {result.stderr.strip()}")
        return None
    return json.loads(result.stdout)


def report(options, rows):
    base = next((row["words_per_second"] for row in rows if row["words_per_second"]), None)
    for row in rows:
        row["ratio"] = row["words_per_second"] / base if base and row["words_per_second"] else None
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return
    print("| system | words/s | of the first | memory | F1 | SER |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        cells = [
            row["system"],
            show(row["words_per_second"], "{:,.0f}"),
            show(row["ratio"], "{:.3f}"),
            show(row["memory"] and row["memory"] / 1e6, "{:.0f} MB"),
            show(row["score"] and row["score"]["f"], "{:.4f}"),
            show(row["score"] and row["score"]["ser"], "{:.4f}"),
        ]
        print(f"| {' | '.join(cells)} |")
    signature = next((row["score"]["signature"] for row in rows if row["score"]), None)
    if signature:
        print(f"\n{signature}")


def show(value, form):
    return "-" if value is None else form.format(value)


if __name__ == "__main__":
    main()
