#!/usr/bin/env python3
"""Measures --capitals few|balanced|many: python3 benches/capitals.py CORPORA [--langs en,es] [--presets accurate,fast]

Prints precision, recall, F and slot error rate of each balance as a Markdown table: the means of the test sets of a language, without marks and sentence
ends (asr:200), without marks (rei) and with marks (susanto). CORPORA holds dev/LANG/ with the test sets of quality.py. The variable MAJUSCULE names
another binary than target/dist/majuscule. Needs only Python 3.
"""

import argparse
import itertools
import statistics

import quality
from networks import evaluated

BALANCES = ["few", "balanced", "many"]
PROTOCOLS = ["asr:200", "rei", "susanto"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora")
    parser.add_argument("--langs", default=",".join(quality.MAIN))
    parser.add_argument("--presets", default="accurate,fast")
    options = parser.parse_args()
    header = [f"`{balance}`: {figure}" for balance in BALANCES for figure in ("P", "R", "F", "SER")]
    print(quality.markdown(["language", "preset", "protocol", *header], 3, []))
    for lang, preset, protocol in itertools.product(options.langs.split(","), options.presets.split(","), PROTOCOLS):
        sets, cells = list(quality.test_sets(options.corpora, [lang])), []
        for balance in BALANCES:
            model = ["--lang", lang, "--preset", preset, "--capitals", balance]
            reports = [evaluated(model, protocol, files, more) for _, _, files, more in sets]
            mean = {key: statistics.fmean(report[key] for report in reports) for key in ("precision", "recall", "f", "ser")}
            cells += [quality.percent(mean["precision"]), quality.percent(mean["recall"]), quality.percent(mean["f"]), quality.ser(mean["ser"])]
        print(quality.line([lang, f"`{preset}`", f"`{protocol}`", *cells]), flush=True)


if __name__ == "__main__":
    main()
