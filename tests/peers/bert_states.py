"""Runs bert_states.rs: the subwords of lines and the hidden states of every layer of an encoder, as majuscule computes them."""

import argparse
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A program built before, such as target/debug/examples/bert_states; otherwise cargo builds one.
BUILT = os.environ.get("BERT_STATES")
BUILD = ["cargo", "run", "--quiet", "--release", "--package", "majuscule-neural", "--example", "bert_states", "--"]


def read_arguments(description, lines):
    """Returns the folder of an encoder and the first lines of a text, as ENCODER TEXT [--lines N] name them; N is `lines` by default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder", metavar="ENCODER", type=Path)
    parser.add_argument("text", metavar="TEXT", type=Path)
    parser.add_argument("--lines", metavar="N", type=int, default=lines)
    args = parser.parse_args()
    return args.encoder, args.text.read_text(encoding="utf-8").splitlines()[: args.lines]


def write_states(encoder, lines, folder):
    """Returns a file of tensors in a folder: ids.0000 and states.0000 (layers, subwords, width) for the first line, and so on."""
    text, out = folder / "text", folder / "states"
    text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    command = [Path(BUILT).resolve()] if BUILT else BUILD
    subprocess.run([*command, encoder.resolve(), text, out], cwd=ROOT, check=True)
    return out
