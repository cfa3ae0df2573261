#!/usr/bin/env python3
"""Compares the hidden states of every layer of an MPNet with those of the equations of its paper (Song et al. 2020), here in double precision.

Usage: mpnet.py ENCODER TEXT [--lines N]

ENCODER is a Hugging Face folder of model_type mpnet; TEXT is any text, of which the first N lines are read. Exits with 1 if a hidden state differs by
more than 1e-4. Needs numpy and safetensors, and majuscule's part: cargo builds it unless BERT_STATES names it.
"""

import json
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from bert_states import read_arguments, write_states

# Two positions come before the first of a text, as in RoBERTa.
FIRST_POSITION = 2
# From this distance on, all share one bias.
FARTHEST = 128


def main():
    encoder, lines = read_arguments(__doc__, 50)
    config = json.loads((encoder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "mpnet":
        sys.exit(f"{encoder} has model_type {config['model_type']}: expected mpnet")
    tensors = load_file(encoder / "model.safetensors")
    weights = {name.removeprefix("mpnet."): tensor.astype(np.float64) for name, tensor in tensors.items()}
    with tempfile.TemporaryDirectory() as folder:
        ours = load_file(write_states(encoder, lines, Path(folder)))
    worst = np.zeros(config["num_hidden_layers"] + 1)
    subwords = 0
    for at in range(len(lines)):
        ids = ours[f"ids.{at:04}"].astype(int)
        difference = np.abs(ours[f"states.{at:04}"] - hidden_states(ids, weights, config))
        worst = np.maximum(worst, difference.max((1, 2)))
        subwords += len(ids)
    print(f"{len(lines)} lines, {subwords} subwords")
    for layer, difference in enumerate(worst):
        print(f"layer {layer}: largest difference {difference:.1e}")
    # A NaN is no agreement.
    sys.exit(0 if subwords and (worst <= 1e-4).all() else 1)


def hidden_states(ids, weights, config):
    """Returns the states after the embeddings and after each layer: layers, subwords, width."""
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]
    places = np.arange(len(ids))
    embedded = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][places + FIRST_POSITION]
    x = normed(embedded, weights, "embeddings.LayerNorm", epsilon)
    distances = places[None, :] - places[:, None]
    # One table for all layers: query, key, head.
    biases = weights["encoder.relative_attention_bias.weight"][buckets(distances, config["relative_attention_num_buckets"])]
    states = [x]
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        query, key, value = (by_head(linear(x, weights, f"{name}attention.attn.{part}"), heads) for part in "qkv")
        scores = np.einsum("qhd,khd->qkh", query, key) / math.sqrt(query.shape[2]) + biases
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        attended = np.einsum("qkh,khd->qhd", shares, value).reshape(x.shape)
        x = normed(x + linear(attended, weights, f"{name}attention.attn.o"), weights, f"{name}attention.LayerNorm", epsilon)
        inner = gelu(linear(x, weights, f"{name}intermediate.dense"))
        x = normed(x + linear(inner, weights, f"{name}output.dense"), weights, f"{name}output.LayerNorm", epsilon)
        states.append(x)
    return np.stack(states)


def buckets(distances, count):
    """Returns the bucket of each distance from a query to a key: near ones have one each, far ones share by the logarithm, on either side."""
    side = count // 2
    near = side // 2
    size = np.abs(distances)
    far = near + np.floor(np.log(np.maximum(size, near) / near) / math.log(FARTHEST / near) * (side - near)).astype(int)
    return np.where(size < near, size, np.minimum(far, side - 1)) + np.where(distances > 0, side, 0)


def by_head(x, heads):
    return x.reshape(len(x), heads, -1)


def linear(x, weights, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normed(x, weights, name, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def gelu(x):
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


if __name__ == "__main__":
    main()
