#!/usr/bin/env python3
"""Compares majuscule lm train with KenLM's lmplz on the same text in one run: CPU time and memory. See README.md in this folder."""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    options = arguments()
    words = sum(len(line.split()) for line in options.text.open("rb"))
    rows = []
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for order in options.orders:
            rows += measure(options, pathlib.Path(scratch), order)
    report(options, words, rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=pathlib.Path, help="text, a sentence a line")
    parser.add_argument("--majuscule", type=pathlib.Path, default=TOP / "target/dist/majuscule", help="[%(default)s]")
    parser.add_argument("--lmplz", type=pathlib.Path, help="KenLM's lmplz; left out where it is not there")
    parser.add_argument("--orders", type=int, nargs="+", default=[3, 5], metavar="N", help="[3 5]")
    parser.add_argument("--memory", default="2G", metavar="SIZE", help="what both may take [%(default)s]")
    parser.add_argument("--shards", type=int, default=4, metavar="N", help="pieces that the text is counted in too; 0 for none [%(default)s]")
    parser.add_argument("--scratch", type=pathlib.Path, help="folder for models and temporary files")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each, the fastest counts [%(default)s]")
    options = parser.parse_args()
    for path in [options.text, options.majuscule]:
        if not path.is_file():
            parser.error(f"{path} is no file")
    if options.lmplz is None or not options.lmplz.is_file():
        print(f"lm_train.py: lmplz is left out: {options.lmplz or '--lmplz'} is no file", file=sys.stderr)
        options.lmplz = None
    options.majuscule = options.majuscule.resolve()
    options.lmplz = options.lmplz and options.lmplz.resolve()
    return options


def measure(options, scratch, order):
    """Runs the systems in turns; returns rows of (name, order, CPU seconds, peak bytes, bytes of the model)."""
    program, text, memory = options.majuscule, options.text, options.memory
    model = scratch / "model.arpa"
    train = [program, "lm", "train", "--plain", "--order", str(order), "--force", "-o", model]
    systems = {
        "majuscule": [[*train, text]],
        f"majuscule --memory {memory}": [[*train, text, "--memory", memory]],
    }
    if options.lmplz:
        systems[f"lmplz -S {memory}"] = [[options.lmplz, "-o", str(order), "-S", memory, "-T", scratch / "lmplz", "--text", text, "--arpa", model]]
    if options.shards:
        shards = split(text, options.shards, scratch)
        counts = [shard.with_suffix(".counts") for shard in shards]
        count = [[program, "lm", "count", "--plain", "--order", str(order), shard, "--force", "-o", file] for shard, file in zip(shards, counts)]
        systems[f"majuscule lm count, {options.shards} pieces"] = count
        systems["majuscule lm train --counts"] = [[program, "lm", "train", "--order", str(order), "--force", "-o", model, "--counts", *counts]]
    best, bytes_of = {}, {}
    for _ in range(options.repeat):
        for name, commands in systems.items():
            figures = [run(command) for command in commands]
            seconds, peak = sum(s for s, _ in figures), max(p for _, p in figures)
            best[name] = min(best.get(name, (float("inf"), 0)), (seconds, peak))
            if model.exists() and "count," not in name:
                if "majuscule" in name:
                    bytes_of[name] = digest(model)
                model.unlink()
    if len(set(bytes_of.values())) > 1:
        sys.exit(f"lm_train.py: order {order}: the models differ: {bytes_of}")
    return [(name, order, *figures) for name, figures in best.items()]


def split(text, count, scratch):
    """Writes the text as files of about the same size, cut at line ends."""
    size = -(-text.stat().st_size // count)
    shards = []
    with text.open("rb") as lines:
        for at in range(count):
            shards.append(scratch / f"{at}.txt")
            with shards[-1].open("wb") as shard:
                shutil.copyfileobj(Part(lines, size), shard)
                shard.write(lines.readline())
    return shards


class Part:
    """A reader of the next `left` bytes of a file."""

    def __init__(self, file, left):
        self.file, self.left = file, left

    def read(self, size):
        data = self.file.read(min(size, self.left))
        self.left -= len(data)
        return data


def run(command):
    """Returns the CPU seconds and the peak bytes of a command."""
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"lm_train.py: {' '.join(map(str, command))}: {error.decode(errors='replace')[-500:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def digest(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def report(options, words, rows):
    print(f"{words} words of {options.text.name}\n")
    print("| system | order | CPU s | million words a CPU second | peak MB | CPU against lmplz |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    peers = {order: seconds for name, order, seconds, _ in rows if name.startswith("lmplz")}
    for name, order, seconds, peak in rows:
        ratio = f"{seconds / peers[order]:.2f}" if order in peers else "-"
        print(f"| {name} | {order} | {seconds:.1f} | {words / seconds / 1e6:.2f} | {peak / 1e6:.0f} | {ratio} |")


if __name__ == "__main__":
    main()
