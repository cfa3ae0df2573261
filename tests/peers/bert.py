#!/usr/bin/env python3
"""Compares the hidden states of every layer of an encoder with those of PyTorch (transformers), and the subwords.

Usage: bert.py ENCODER TEXT [--lines N]

ENCODER is a Hugging Face folder of any kind that is taken (config.json, tokenizer.json or vocab.txt, model.safetensors); TEXT is any
text, of which the first N lines are read. Exits with 1 if subwords differ, or if a hidden state differs by more than 1e-4 and by more than 1e-5 of its value. Needs
torch, transformers and safetensors (pip install torch transformers safetensors), and majuscule's part: cargo builds it unless BERT_STATES names it.
"""

import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from bert_states import read_arguments, write_states


def main():
    encoder, lines = read_arguments(__doc__, 200)
    with tempfile.TemporaryDirectory() as folder:
        ours = load_file(write_states(encoder, lines, Path(folder)))
    model = AutoModel.from_pretrained(encoder, attn_implementation="eager").to(torch.float32).eval()
    # Byte-level BPE cuts a word alone as inside a text only with this.
    space = {"add_prefix_space": True} if model.config.model_type == "roberta" else {}
    tokenizer = AutoTokenizer.from_pretrained(encoder, **space)
    most = model.config.max_position_embeddings
    if "roberta" in model.config.model_type:
        most -= model.config.pad_token_id + 1
    other_subwords, worst = 0, torch.zeros(model.config.num_hidden_layers + 1)
    wrong = 0
    for at, line in enumerate(lines):
        ids = ours[f"ids.{at:04}"].long()
        theirs = tokenizer(line.split(), is_split_into_words=True, truncation=True, max_length=most).input_ids
        if ids.tolist() != theirs:
            other_subwords += 1
        with torch.no_grad():
            layers = model(ids.unsqueeze(0), output_hidden_states=True).hidden_states
        layers = torch.cat(layers)
        difference = (ours[f"states.{at:04}"] - layers).abs()
        wrong += int((difference > torch.maximum(torch.tensor(1e-4), 1e-5 * layers.abs())).sum())
        worst = torch.maximum(worst, difference.amax((1, 2)))
    print(f"{len(lines)} lines, {other_subwords} of them cut otherwise")
    for layer, difference in enumerate(worst):
        print(f"layer {layer}: largest difference {difference:.1e}")
    print(f"{wrong} values differ by more than 1e-4 and 1e-5 of themselves")
    sys.exit(1 if wrong or other_subwords else 0)


if __name__ == "__main__":
    main()
