#!/usr/bin/env python3
"""Measures the size and the memory of a program that only restores: python3 benches/footprint.py TEXT

TEXT is in lower case, or is read so. The script builds majuscule with the fewest features into target/footprint: once without a model, which is
then a packed file beside the program, and once with English built in. Needs Python 3 and cargo; a first build takes a few minutes.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path.insert(0, str(HERE / "peers"))

from compare import timed_run  # noqa: E402

BUILDS = {"none": ["--model", TOP / "lm/en.{preset}"], "lang-en": ["--preset", "{preset}"]}


def build(features):
    """Builds the program with these features and returns its path."""
    target = TOP / "target/footprint"
    command = ["cargo", "build", "--quiet", "--profile", "dist", "--package", "majuscule-cli", "--no-default-features", "--target-dir", target]
    if features != "none":
        command += ["--features", features]
    subprocess.run(command, check=True, cwd=TOP)
    return target / "dist" / ("majuscule.exe" if os.name == "nt" else "majuscule")


def main(text):
    with tempfile.TemporaryDirectory() as folder:
        lower, answer = pathlib.Path(folder, "lower.txt"), pathlib.Path(folder, "answer.txt")
        lower.write_text(pathlib.Path(text).read_text(encoding="utf-8").lower(), encoding="utf-8")
        print("| features | program | model | resident memory |")
        print("| --- | ---: | --- | ---: |")
        for features, options in BUILDS.items():
            program = build(features)
            size = program.stat().st_size
            for preset in ("fast", "accurate"):
                which = [str(option).format(preset=preset) for option in options]
                _, memory, code = timed_run([program, "restore", "--threads", "1", *which], lower, answer)
                if code != 0:
                    sys.exit(f"{program} failed with exit code {code}")
                print(f"| `{features}` | {size / 1e6:.2f} MB | `{preset}` | {memory / 1e6:.1f} MB |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
