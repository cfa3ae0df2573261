#!/usr/bin/env python3
"""Times the tagger of bert beside PyTorch and ONNX Runtime: same weights, same batches, one core, alternating in one run.

Usage: bert.py MODEL [--shape 8x32] [--steps N]

MODEL is a folder made by `majuscule train bert`. The script prints milliseconds per batch and words per second of the fastest turn. The
encoders of PyTorch and ONNX Runtime return the states of the last layer; majuscule also mixes all layers and scores the labels. The training
step is that of `train bert` on sentences of one length, beside the same step in PyTorch: a mix of all layers, a head, dropout, clipping and Adam.
Needs torch, transformers, onnx, onnxscript and onnxruntime (pip install), and builds of majuscule:

    cargo build --profile dist --features neural
    cargo build --profile dist --package majuscule-neural --example bert_speed
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
LABELS = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL", type=Path)
    parser.add_argument("--shape", metavar="TEXTSxPIECES", default="8x32")
    parser.add_argument("--batches", metavar="N", type=int, default=4, help="batches of a turn")
    parser.add_argument("--repeat", metavar="N", type=int, default=5, help="turns of each")
    parser.add_argument("--steps", metavar="N", type=int, default=0, help="also time so many training steps")
    args = parser.parse_args()
    # All systems use one core; this is set before any of them starts threads.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name in ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]:
        os.environ[name] = "1"
    texts, subwords = map(int, args.shape.split("x"))
    chance = random.Random(1)
    # Any subwords except the special ones will do: the time does not depend on them.
    batches = [[[chance.randrange(1000, 20000) for _ in range(subwords)] for _ in range(texts)] for _ in range(args.batches)]
    with tempfile.TemporaryDirectory() as folder:
        seconds = inference(args, batches, Path(folder))
        words = args.batches * texts * subwords
        fastest = {"PyTorch": "pytorch", "ONNX Runtime": "onnx", "ONNX Runtime, int8": "onnx int8", "majuscule, graph": "graph",
                   "majuscule, f32": "f32", "majuscule, int8": "int8"}
        print(f"{'':22}{'ms a batch':>12}{'subwords/s':>12}")
        for name, key in fastest.items():
            print(f"{name:22}{1e3 * seconds[key] / args.batches:12.1f}{words / seconds[key]:12.0f}")
        print(f"f32 beside PyTorch: {seconds['pytorch'] / seconds['f32']:.2f}x, beside ONNX Runtime: {seconds['onnx'] / seconds['f32']:.2f}x")
        print(f"int8 beside ONNX Runtime's: {seconds['onnx int8'] / seconds['int8']:.2f}x")
        if args.steps:
            ours, theirs = training(args, texts, subwords, Path(folder))
            print(f"training step: majuscule {1e3 * ours:.0f} ms, PyTorch {1e3 * theirs:.0f} ms: {ours / theirs:.2f}x its time")


def inference(args, batches, folder):
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import BertModel

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    model = BertModel.from_pretrained(args.model, add_pooling_layer=False).eval()
    tensors = [torch.tensor(batch) for batch in batches]
    exported, short = folder / "encoder.onnx", folder / "encoder.int8.onnx"

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = model

        def forward(self, ids):
            return self.encoder(input_ids=ids).last_hidden_state

    torch.onnx.export(Plain(), (tensors[0],), str(exported), input_names=["ids"], output_names=["states"], dynamo=True, external_data=False)
    quantize_dynamic(exported, short, weight_type=QuantType.QInt8, per_channel=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    sessions = {name: onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"]) for name, file in [("onnx", exported), ("onnx int8", short)]}
    with torch.no_grad():
        state = model(tensors[0]).last_hidden_state
    difference = abs(sessions["onnx"].run(None, {"ids": tensors[0].numpy()})[0] - state.numpy()).max()
    if difference > 1e-3:
        sys.exit(f"the exported encoder differs by {difference}: nothing is to be compared")

    def pytorch():
        with torch.inference_mode():
            for batch in tensors:
                model(batch)

    def onnx(name):
        for batch in tensors:
            sessions[name].run(None, {"ids": batch.numpy()})

    text = folder / "batches"
    text.write_text("".join("\t".join(" ".join(map(str, ids)) for ids in batch) + "\n" for batch in batches))
    best = {}
    for _ in range(args.repeat):
        ours = subprocess.run([TARGET / "examples" / "bert_speed", args.model, text, "3"], check=True, capture_output=True)
        found = json.loads(ours.stdout)
        for name, turn in [("pytorch", pytorch), ("onnx", lambda: onnx("onnx")), ("onnx int8", lambda: onnx("onnx int8"))]:
            turn()
            found[name] = min(timed(turn) for _ in range(3))
        best = {name: min(seconds, best.get(name, seconds)) for name, seconds in found.items()}
    return best


def timed(turn):
    start = time.perf_counter()
    turn()
    return time.perf_counter() - start


def training(args, texts, subwords, folder):
    """Returns the seconds per training step: the fastest stretch in majuscule's log, and the fastest step of PyTorch."""
    chance = random.Random(1)
    vocabulary = json.loads((args.model / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    if isinstance(vocabulary, list):
        # Unigram: subwords with their scores; those that begin a word have a mark.
        vocabulary = [subword.removeprefix("\u2581") for subword, _ in vocabulary]
    words = sorted({word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 2})
    line = lambda: " ".join(word.title() if chance.random() < 0.2 else word for word in chance.choices(words, k=subwords - 2))
    corpus = folder / "corpus"
    corpus.write_text("".join(line() + "\n" for _ in range(texts * args.steps)))
    encoder, log = folder / "encoder", folder / "log"
    encoder.mkdir()
    for name in ["config.json", "tokenizer.json", "model.safetensors"]:
        (encoder / name).symlink_to((args.model / name).resolve())
    strip(encoder)
    command = [TARGET / "majuscule", "train", "bert", "--encoder", encoder, "--protocol", "susanto", "--frozen", "0", "--epochs", "1"]
    command += ["--batch", str(texts), "--held-out", "0", "--log", log, "--threads", "1", "--force", "-o", folder / "trained", corpus]
    subprocess.run(command, check=True, capture_output=True)
    ours = min(json.loads(step)["seconds_per_step"] for step in log.read_text().splitlines() if "seconds_per_step" in step)
    return ours, pytorch_step(args, texts, subwords)


def strip(encoder):
    """Removes the scalars and the head from the folder of a tagger, so that only its encoder is left."""
    from safetensors.torch import load_file, save_file

    file = encoder / "model.safetensors"
    kept = {name: tensor for name, tensor in load_file(file).items() if name.startswith("bert.")}
    file.unlink()
    save_file(kept, file)


def pytorch_step(args, texts, subwords):
    import torch
    from transformers import BertModel

    torch.manual_seed(1)
    model = BertModel.from_pretrained(args.model, add_pooling_layer=False, attn_implementation="eager").train()
    layers = model.config.num_hidden_layers + 1
    scalars = torch.nn.Parameter(torch.zeros(layers))
    gamma = torch.nn.Parameter(torch.ones(1))
    head = torch.nn.Linear(model.config.hidden_size, LABELS)
    dropout = torch.nn.Dropout(0.1)
    weights = [*model.parameters(), scalars, gamma, *head.parameters()]
    adam = torch.optim.Adam(weights, lr=1e-5)
    best = float("inf")
    for _ in range(max(10, args.steps // 10)):
        ids = torch.randint(1000, 20000, (texts, subwords))
        labels = torch.randint(0, LABELS, (texts, subwords))
        start = time.perf_counter()
        states = torch.stack(model(ids, output_hidden_states=True).hidden_states)
        mixed = gamma * torch.einsum("l,lbph->bph", torch.softmax(scalars, 0), states)
        loss = torch.nn.functional.cross_entropy(head(dropout(mixed)).flatten(0, 1), labels.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        adam.step()
        adam.zero_grad()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main()
