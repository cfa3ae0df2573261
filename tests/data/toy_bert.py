#!/usr/bin/env python3
"""Makes toy-bert/, a small encoder for tests, as a Hugging Face folder; every run writes the same bytes.

It also writes hidden.json: two texts as ids, and the hidden states of each layer, computed here in plain Python, word by word, as in
the paper (Devlin et al. 2019), so that an error of the encoder cannot hide in both. Needs only Python 3.9.

    python3 tests/data/toy_bert.py tests/data/toy-bert
"""

import argparse
import json
import math
import pathlib
import random
import struct

CONFIG = {
    "architectures": ["BertModel"],
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 16,
    "intermediate_size": 32,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 40,
    "model_type": "bert",
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "type_vocab_size": 2,
}
WORDS = "the in of and met who us we to with lisbon porto york anna said minister nato bbc a4 i".split()
TEXTS = [["[CLS]", "anna", "met", "n", "##a", "##t", "##o", "in", "lisbon", "[SEP]"], ["[CLS]", "who", "[SEP]"]]


def vocabulary():
    letters = "abcdefghijklmnopqrstuvwxyz"
    marks = "0123456789'-.,&"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *marks]
    pieces += ["##" + letter for letter in letters + "0123456789"]
    return pieces + [word for word in WORDS if word not in pieces]


def tensors(vocabulary_size):
    chance = random.Random(7)
    hidden, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]

    def weights(*shape):
        # Every value is a multiple of 1/1024, so it is exact in 32 bits.
        count = math.prod(shape)
        return shape, [round(chance.gauss(0, 0.25) * 1024) / 1024 for _ in range(count)]

    def around_one(size):
        return (size,), [1 + round(chance.gauss(0, 0.1) * 1024) / 1024 for _ in range(size)]

    found = {}

    def dense(name, outs, ins):
        found[name + ".weight"], found[name + ".bias"] = weights(outs, ins), weights(outs)

    def norm(name):
        # The oldest checkpoints have these names.
        found[name + ".gamma"], found[name + ".beta"] = around_one(hidden), weights(hidden)

    top = "bert.embeddings."
    found[top + "word_embeddings.weight"] = weights(vocabulary_size, hidden)
    found[top + "position_embeddings.weight"] = weights(CONFIG["max_position_embeddings"], hidden)
    found[top + "token_type_embeddings.weight"] = weights(CONFIG["type_vocab_size"], hidden)
    norm(top + "LayerNorm")
    for layer in range(CONFIG["num_hidden_layers"]):
        top = f"bert.encoder.layer.{layer}."
        for part in ["query", "key", "value"]:
            dense(f"{top}attention.self.{part}", hidden, hidden)
        dense(top + "attention.output.dense", hidden, hidden)
        norm(top + "attention.output.LayerNorm")
        dense(top + "intermediate.dense", inner, hidden)
        dense(top + "output.dense", hidden, inner)
        norm(top + "output.LayerNorm")
    # A checkpoint of pretraining has this tensor too, outside its encoder.
    found["cls.predictions.bias"] = weights(4)
    return found


def safetensors(found):
    header, data = {}, b""
    for name in sorted(found):
        shape, values = found[name]
        end = len(data) + 4 * len(values)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), end]}
        data += struct.pack(f"<{len(values)}f", *values)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


class Forward:
    """BERT in plain Python, one number at a time."""

    def __init__(self, found):
        self.found = found

    def vector(self, name):
        return self.found[name][1]

    def row(self, name, at):
        (_, width), values = self.found[name]
        return values[at * width:(at + 1) * width]

    def dense(self, name, x):
        (outs, _), _ = self.found[name + ".weight"]
        bias = self.vector(name + ".bias")
        return [sum(w * x for w, x in zip(self.row(name + ".weight", out), x)) + bias[out] for out in range(outs)]

    def norm(self, name, x):
        mean = sum(x) / len(x)
        root = math.sqrt(sum((value - mean) ** 2 for value in x) / len(x) + CONFIG["layer_norm_eps"])
        both = zip(self.vector(name + ".gamma"), self.vector(name + ".beta"))
        return [(value - mean) / root * gamma + beta for value, (gamma, beta) in zip(x, both)]

    def attention(self, top, states):
        count = CONFIG["num_attention_heads"]
        size = CONFIG["hidden_size"] // count
        q, k, v = ([self.dense(f"{top}attention.self.{part}", x) for x in states] for part in ["query", "key", "value"])
        out = []
        for query in q:
            joined = []
            for head in range(count):
                part = slice(head * size, (head + 1) * size)
                scores = [sum(a * b for a, b in zip(query[part], key[part])) / math.sqrt(size) for key in k]
                shares = [math.exp(score - max(scores)) for score in scores]
                whole = sum(shares)
                joined += [sum(share * value[part][i] for share, value in zip(shares, v)) / whole for i in range(size)]
            out.append(joined)
        return out

    def layer(self, layer, states):
        top = f"bert.encoder.layer.{layer}."
        out = []
        for x, attended in zip(states, self.attention(top, states)):
            attended = self.dense(top + "attention.output.dense", attended)
            x = self.norm(top + "attention.output.LayerNorm", [a + b for a, b in zip(x, attended)])
            inner = self.dense(top + "intermediate.dense", x)
            inner = [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in inner]
            inner = self.dense(top + "output.dense", inner)
            out.append(self.norm(top + "output.LayerNorm", [a + b for a, b in zip(x, inner)]))
        return out

    def states(self, ids):
        top = "bert.embeddings."
        kind = self.row(top + "token_type_embeddings.weight", 0)
        rows = [zip(self.row(top + "word_embeddings.weight", piece), self.row(top + "position_embeddings.weight", at), kind) for at, piece in enumerate(ids)]
        layers = [[self.norm(top + "LayerNorm", [sum(parts) for parts in row]) for row in rows]]
        for layer in range(CONFIG["num_hidden_layers"]):
            layers.append(self.layer(layer, layers[-1]))
        return layers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the folder that is written")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    pieces = vocabulary()
    found = tensors(len(pieces))
    config = {**CONFIG, "vocab_size": len(pieces)}
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    (folder / "model.safetensors").write_bytes(safetensors(found))
    forward = Forward(found)
    ids = [[pieces.index(piece) for piece in text] for text in TEXTS]
    lines = [{"ids": text, "states": [[[round(x, 7) for x in row] for row in layer] for layer in forward.states(text)]} for text in ids]
    (folder / "hidden.json").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


if __name__ == "__main__":
    main()
