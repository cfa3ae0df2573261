#!/usr/bin/env python3
"""Measures the curve of --cascade: slot error rate against the share of words for the second model, and words per second on one core.

Usage: cascade.py FAST,EXACT TEXT... [--sure P ...]

FAST and EXACT are models as `majuscule evaluate --cascade` takes them (accurate and fast are the built-in ones); TEXT is cased text. Prints a
Markdown table: each model alone, and the cascade for each P. Words per second are per CPU time of a whole run of evaluate on one
thread, which includes loading the models; only their ratios can be compared.
"""

import argparse
import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", metavar="FAST,EXACT")
    parser.add_argument("texts", metavar="TEXT", nargs="+")
    parser.add_argument("--sure", metavar="P", type=float, nargs="+", default=[0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995])
    parser.add_argument("--lang", default="en")
    parser.add_argument("--protocol", default="rei")
    parser.add_argument("--precision", help="what the second model computes in")
    parser.add_argument("--program", default=ROOT / "target" / "release" / "majuscule")
    args = parser.parse_args()
    fast, exact = args.models.split(",")
    common = [*args.texts, "--lang", args.lang, "--protocol", args.protocol, "--threads", "1", "--json"]
    precision = ["--precision", args.precision] if args.precision else []

    def measured(options):
        before = os.times()
        found = subprocess.run([args.program, "evaluate", *common, *options], check=True, capture_output=True, text=True)
        after = os.times()
        report = json.loads(found.stdout)
        share = re.search(r"read ([\d.]+) % of the words", found.stderr)
        seconds = after.children_user - before.children_user + after.children_system - before.children_system
        return report, float(share.group(1)) if share else None, seconds

    def alone(model):
        return ["--preset", model] if model in ["accurate", "fast"] else ["--model", model]

    print("| model | read by the second | F1 | SER | words/s | time |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    rows = [(exact, [*alone(exact), *precision]), (fast, alone(fast))]
    rows += [(f"--sure {sure}", ["--cascade", args.models, "--sure", str(sure), *precision]) for sure in args.sure]
    whole = None
    for name, options in rows:
        report, share, seconds = measured(options)
        whole = whole or seconds
        words = report["tokens"]
        read = f"{share:.1f} %" if share is not None else "-"
        print(f"| `{Path(name).name if os.sep in name else name}` | {read} | {report['f']:.4f} | {report['ser']:.4f} | {words / seconds:.0f} | {seconds / whole:.3f} |", flush=True)


if __name__ == "__main__":
    main()
