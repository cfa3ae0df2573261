#!/usr/bin/env python3
"""Compares the optimum of maxent fit (the native solver) with scikit-learn's multinomial logistic regression, on the same matrix with the same L2.

Usage: sklearn_maxent.py TEXT [PROGRAM]

TEXT is cased text, one sentence per line, of which the first --lines are read. PROGRAM is majuscule, by default the newest build
of cargo. Both train until convergence. The script prints the largest difference of a probability and the relative difference of
the objective (the sum of -ln P, plus L2 times half the squared weights), and exits with 1 if they exceed 1e-3 and 1e-5. Needs
scikit-learn (pip install scikit-learn).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.special import logsumexp
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parents[2]
CLASSES = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("program", metavar="PROGRAM", nargs="?")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--l2", type=float, nargs="+", default=[0.1, 1.0])
    args = parser.parse_args()
    program = args.program or newest_build()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        few = folder / "text"
        with open(args.text, "rb") as text:
            few.write_bytes(b"".join(line for line, _ in zip(text, range(args.lines))))
        matrix = folder / "matrix"
        features = ["--features", "word,neighbours,affixes,shape", "--look-ahead", "1", "--min-count", "2"]
        subprocess.run([program, "maxent", "features", few, "--force", "-o", matrix, *features], check=True)
        rows, classes = load_svmlight_file(str(matrix), zero_based=False)
        print(f"{rows.shape[0]} rows, {rows.shape[1]} features, classes {np.bincount(classes.astype(int))}")
        if len(set(classes)) != CLASSES:
            sys.exit(f"the text has {len(set(classes))} classes: give more lines, so that all {CLASSES} are there")
        for l2 in args.l2:
            ours = native(program, matrix, folder / "weights", l2, rows.shape[1])
            theirs = sklearn(rows, classes, l2)
            difference = np.abs(probabilities(rows, ours) - probabilities(rows, theirs)).max()
            objectives = [objective(rows, classes, weights, l2) for weights in (ours, theirs)]
            relative = abs(objectives[0] - objectives[1]) / objectives[1]
            print(f"L2 {l2}: probabilities {difference:.1e}, objective {objectives[0]:.6f} and {objectives[1]:.6f}: {relative:.1e}")
            failed |= difference > 1e-3 or relative > 1e-5
    sys.exit(1 if failed else 0)


def native(program, matrix, output, l2, features):
    subprocess.run([program, "maxent", "fit", matrix, "--force", "-o", output, "--l2", str(l2), "--precision", "1e-8"], check=True)
    weights = np.zeros((CLASSES, features))
    for line in output.read_text().splitlines()[1:]:
        index, *values = line.split("\t")
        weights[:, int(index) - 1] = [float(value) for value in values]
    # The weights of lower case are 0; the objective penalises the distance of all weights from their mean.
    return weights - weights.mean(axis=0)


def sklearn(rows, classes, l2):
    model = LogisticRegression(C=1 / l2, fit_intercept=False, solver="newton-cg", tol=1e-10, max_iter=100000)
    return model.fit(rows, classes).coef_


def logarithms(rows, weights):
    scores = rows @ weights.T
    return scores - logsumexp(scores, axis=1, keepdims=True)


def probabilities(rows, weights):
    return np.exp(logarithms(rows, weights))


def objective(rows, classes, weights, l2):
    right = logarithms(rows, weights)[np.arange(len(classes)), classes.astype(int)]
    return -right.sum() + l2 / 2 * (weights**2).sum()


def newest_build():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    builds = [target / kind / "majuscule" for kind in ("release", "debug")]
    builds = [build for build in builds if build.exists()]
    if not builds:
        sys.exit("build majuscule first (cargo build --release), or name the program")
    return max(builds, key=lambda build: build.stat().st_mtime)


if __name__ == "__main__":
    main()
