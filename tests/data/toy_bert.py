#!/usr/bin/env python3
"""Makes small encoders for tests, as Hugging Face folders; every run writes the same bytes. The name of a folder says the kind.

It also writes hidden.json: two texts as ids, and the hidden states of each layer, computed here in plain Python, word by word, as in
the paper (Devlin et al. 2019), so that an error of the encoder cannot hide in both. Needs only Python 3.9.

    python3 tests/data/toy_bert.py tests/data/toy-{bert,roberta,xlm-roberta,distilbert,electra,mpnet}
"""

import argparse
import json
import math
import pathlib
import random
import struct

BERT = {
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
# Positions count from the id of the padding plus 1, so 40 of 42 can be used.
ROBERTA = {"max_position_embeddings": 42, "layer_norm_eps": 1e-5, "type_vocab_size": 1, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
CONFIGS = {
    "bert": BERT,
    "roberta": {**BERT, **ROBERTA, "architectures": ["RobertaModel"], "model_type": "roberta"},
    "xlm-roberta": {**BERT, **ROBERTA, "architectures": ["XLMRobertaModel"], "model_type": "xlm-roberta"},
    "distilbert": {
        "activation": "gelu",
        "architectures": ["DistilBertModel"],
        "attention_dropout": 0.1,
        "dim": 16,
        "dropout": 0.1,
        "hidden_dim": 32,
        "max_position_embeddings": 40,
        "model_type": "distilbert",
        "n_heads": 2,
        "n_layers": 2,
        "pad_token_id": 0,
    },
    "electra": {**BERT, "architectures": ["ElectraModel"], "embedding_size": 8, "model_type": "electra"},
    "mpnet": {
        **{name: value for name, value in {**BERT, **ROBERTA}.items() if name != "type_vocab_size"},
        "architectures": ["MPNetModel"],
        "model_type": "mpnet",
        "relative_attention_num_buckets": 8,
    },
}
# The name of each part of a layer, and what stands before all names of layers.
LAYERS, DISTILBERT_LAYERS = "encoder.layer", "transformer.layer"
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "outer norm": "output.LayerNorm",
}
DISTILBERT_PARTS = {
    "query": "attention.q_lin",
    "key": "attention.k_lin",
    "value": "attention.v_lin",
    "attended": "attention.out_lin",
    "attended norm": "sa_layer_norm",
    "inner": "ffn.lin1",
    "outer": "ffn.lin2",
    "outer norm": "output_layer_norm",
}
MPNET_PARTS = {
    **PARTS,
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "attended": "attention.attn.o",
    "attended norm": "attention.LayerNorm",
}
DISTANCES = "encoder.relative_attention_bias.weight"
# A checkpoint of pretraining has such a tensor too, outside its encoder.
HEADS = {
    "bert": "cls.predictions.bias",
    "roberta": "lm_head.bias",
    "xlm-roberta": "lm_head.bias",
    "distilbert": "vocab_projector.bias",
    "electra": "discriminator_predictions.dense_prediction.bias",
    "mpnet": "lm_head.bias",
}
WORDS = "the in of and met who us we to with lisbon porto york anna said minister nato bbc a4 i".split()
TEXTS = [["[CLS]", "anna", "met", "n", "##a", "##t", "##o", "in", "lisbon", "[SEP]"], ["[CLS]", "who", "[SEP]"]]
# MPNet has the words of BERT and the special pieces of RoBERTa; this text is long enough for buckets that several distances share.
MPNET_TEXTS = [["<s>", *"anna met n ##a ##t ##o in lisbon and we met the minister with to us".split(), "</s>"], ["<s>", "who", "</s>"]]
# The pieces of "anna met nato in lisbon" and "who".
BPE_TEXTS = [["<s>", "Ġanna", "Ġmet", "Ġ", "n", "at", "o", "Ġin", "Ġlisbon", "</s>"], ["<s>", "Ġwho", "</s>"]]
UNIGRAM_TEXTS = [["<s>", "▁anna", "▁met", "▁", "n", "at", "o", "▁in", "▁lisbon", "</s>"], ["<s>", "▁who", "</s>"]]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARKS = "0123456789'-.,&"


def word_pieces(special=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")):
    """The vocabulary of BERT: words, letters at the beginning of words, and letters inside them."""
    pieces = [*special, *LETTERS, *MARKS]
    pieces += ["##" + letter for letter in LETTERS + "0123456789"]
    return pieces + [word for word in WORDS if word not in pieces]


def word_piece(pieces):
    """The tokenizer of that vocabulary."""
    normalizer = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary}
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added(pieces, pieces[:5]), "normalizer": normalizer}
    return whole | {"pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": None, "decoder": None, "model": model}


def added(pieces, names):
    ways = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return [{"id": pieces.index(name), "content": name, **ways} for name in names]


def byte_level(special):
    """A byte-level BPE of those words, and the pieces in their order."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    spare = [byte for byte in range(256) if byte not in printable]
    shown = {**{byte: chr(byte) for byte in printable}, **{byte: chr(0x100 + at) for at, byte in enumerate(spare)}}
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *(shown[byte] for byte in range(256))]
    merges = []

    def merge(left, right):
        if left + right not in pieces:
            merges.append(f"{left} {right}")
            pieces.append(left + right)

    merge("a", "t")
    for word in [word for word in WORDS if word not in ["nato", "bbc", "a4"]]:
        whole = "Ġ"
        for letter in word:
            merge(whole, letter)
            whole += letter
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": ""}
    model |= {"fuse_unk": False, "byte_fallback": False, "vocab": {piece: at for at, piece in enumerate(pieces)}, "merges": merges}
    space = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    ends = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True, "add_prefix_space": False}
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added(pieces, special)}
    whole |= {"normalizer": None, "pre_tokenizer": space, "post_processor": ends, "decoder": space, "model": model}
    return pieces, whole


def unigram(special):
    """A Unigram of those words, and the pieces in their order."""
    words = [word for word in WORDS if word not in ["nato", "bbc", "a4"]]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", *LETTERS, *MARKS, "at", *("▁" + word for word in words)]
    scores = [0.0 if piece in special else -2.0 - len(piece) / 8 if len(piece) > 1 else -4.0 for piece in pieces]
    split = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}]}
    ends = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    ids = {name: {"id": name, "ids": [pieces.index(name)], "tokens": [name]} for name in ["<s>", "</s>"]}
    process = {"type": "TemplateProcessing", "single": ends, "pair": ends + [{"Sequence": {"id": "B", "type_id": 0}}], "special_tokens": ids}
    model = {"type": "Unigram", "unk_id": 3, "vocab": [list(pair) for pair in zip(pieces, scores)], "byte_fallback": False}
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added(pieces, special)}
    whole |= {"normalizer": {"type": "NFC"}, "pre_tokenizer": split, "post_processor": process, "decoder": None, "model": model}
    return pieces, whole


class Toy:
    """The names and sizes of an encoder of a kind."""

    def __init__(self, kind, vocabulary_size):
        config = CONFIGS[kind]
        distilled = kind == "distilbert"
        self.kind, self.vocabulary = kind, vocabulary_size
        self.hidden = config["dim" if distilled else "hidden_size"]
        self.inner = config["hidden_dim" if distilled else "intermediate_size"]
        self.embedding = config.get("embedding_size", self.hidden)
        self.positions = config["max_position_embeddings"]
        self.first = config["pad_token_id"] + 1 if "roberta" in kind or kind == "mpnet" else 0
        self.buckets = config.get("relative_attention_num_buckets", 0)
        self.types = config.get("type_vocab_size", 0)
        self.heads = config["n_heads" if distilled else "num_attention_heads"]
        self.count = config["n_layers" if distilled else "num_hidden_layers"]
        self.epsilon = config.get("layer_norm_eps", 1e-12)
        self.top = kind.replace("xlm-", "") + "."
        self.layers = DISTILBERT_LAYERS if distilled else LAYERS
        self.parts = {"distilbert": DISTILBERT_PARTS, "mpnet": MPNET_PARTS}.get(kind, PARTS)
        # The oldest checkpoints have other names.
        self.norm = ["gamma", "beta"] if kind == "bert" else ["weight", "bias"]

    def part(self, layer, part):
        return f"{self.top}{self.layers}.{layer}.{self.parts[part]}"


def tensors(toy):
    chance = random.Random(7)

    def weights(*shape):
        # Every value is a multiple of 1/1024, so it is exact in 32 bits.
        count = math.prod(shape)
        return shape, [round(chance.gauss(0, 0.25) * 1024) / 1024 for _ in range(count)]

    def around_one(size):
        return (size,), [1 + round(chance.gauss(0, 0.1) * 1024) / 1024 for _ in range(size)]

    found = {}

    def dense(name, outs, ins):
        found[name + ".weight"], found[name + ".bias"] = weights(outs, ins), weights(outs)

    def norm(name, size):
        first, second = toy.norm
        found[f"{name}.{first}"], found[f"{name}.{second}"] = around_one(size), weights(size)

    top = toy.top + "embeddings."
    found[top + "word_embeddings.weight"] = weights(toy.vocabulary, toy.embedding)
    found[top + "position_embeddings.weight"] = weights(toy.positions, toy.embedding)
    if toy.types:
        found[top + "token_type_embeddings.weight"] = weights(toy.types, toy.embedding)
    if toy.buckets:
        found[toy.top + DISTANCES] = weights(toy.buckets, toy.heads)
    norm(top + "LayerNorm", toy.embedding)
    if toy.embedding != toy.hidden:
        dense(toy.top + "embeddings_project", toy.hidden, toy.embedding)
    for layer in range(toy.count):
        for part in ["query", "key", "value", "attended"]:
            dense(toy.part(layer, part), toy.hidden, toy.hidden)
        norm(toy.part(layer, "attended norm"), toy.hidden)
        dense(toy.part(layer, "inner"), toy.inner, toy.hidden)
        dense(toy.part(layer, "outer"), toy.hidden, toy.inner)
        norm(toy.part(layer, "outer norm"), toy.hidden)
    found[HEADS[toy.kind]] = weights(4)
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
    """The encoder in plain Python, one number at a time."""

    def __init__(self, toy, found):
        self.toy, self.found = toy, found

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
        root = math.sqrt(sum((value - mean) ** 2 for value in x) / len(x) + self.toy.epsilon)
        both = zip(*(self.vector(f"{name}.{part}") for part in self.toy.norm))
        return [(value - mean) / root * gamma + beta for value, (gamma, beta) in zip(x, both)]

    def distance(self, query, key, head):
        """The summand of a score for the distance between two pieces (Raffel et al. 2020): half of the buckets are for what comes after."""
        half = self.toy.buckets // 2
        near, away = half // 2, abs(query - key)
        bucket = away
        if away >= near:
            bucket = min(half - 1, int(near + math.log(away / near) / math.log(128 / near) * (half - near)))
        return self.row(self.toy.top + DISTANCES, bucket + half * (key > query))[head]

    def attention(self, layer, states):
        count = self.toy.heads
        size = self.toy.hidden // count
        q, k, v = ([self.dense(self.toy.part(layer, part), x) for x in states] for part in ["query", "key", "value"])
        out = []
        for at, query in enumerate(q):
            joined = []
            for head in range(count):
                part = slice(head * size, (head + 1) * size)
                scores = [sum(a * b for a, b in zip(query[part], key[part])) / math.sqrt(size) for key in k]
                if self.toy.buckets:
                    scores = [score + self.distance(at, key, head) for key, score in enumerate(scores)]
                shares = [math.exp(score - max(scores)) for score in scores]
                whole = sum(shares)
                joined += [sum(share * value[part][i] for share, value in zip(shares, v)) / whole for i in range(size)]
            out.append(joined)
        return out

    def layer(self, layer, states):
        out = []
        for x, attended in zip(states, self.attention(layer, states)):
            attended = self.dense(self.toy.part(layer, "attended"), attended)
            x = self.norm(self.toy.part(layer, "attended norm"), [a + b for a, b in zip(x, attended)])
            inner = self.dense(self.toy.part(layer, "inner"), x)
            inner = [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in inner]
            inner = self.dense(self.toy.part(layer, "outer"), inner)
            out.append(self.norm(self.toy.part(layer, "outer norm"), [a + b for a, b in zip(x, inner)]))
        return out

    def states(self, ids):
        top = self.toy.top + "embeddings."
        rows = []
        for at, piece in enumerate(ids):
            parts = [self.row(top + "word_embeddings.weight", piece)]
            parts.append(self.row(top + "position_embeddings.weight", self.toy.first + at))
            if self.toy.types:
                parts.append(self.row(top + "token_type_embeddings.weight", 0))
            row = self.norm(top + "LayerNorm", [sum(values) for values in zip(*parts)])
            rows.append(row if len(row) == self.toy.hidden else self.dense(self.toy.top + "embeddings_project", row))
        layers = [rows]
        for layer in range(self.toy.count):
            layers.append(self.layer(layer, layers[-1]))
        return layers


def write(folder):
    kind = folder.name.removeprefix("toy-")
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = None
    if "roberta" in kind:
        special = ["<s>", "<pad>", "</s>", "<unk>"]
        texts = BPE_TEXTS if kind == "roberta" else UNIGRAM_TEXTS
        pieces, tokenizer = (byte_level if kind == "roberta" else unigram)(special)
    elif kind == "mpnet":
        special = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
        pieces, texts = word_pieces(special), MPNET_TEXTS
        tokenizer = word_piece(pieces)
        names = zip(["cls_token", "pad_token", "sep_token", "unk_token", "mask_token"], special)
        (folder / "tokenizer_config.json").write_text(json.dumps(dict(names), indent=2) + "\n")
    else:
        pieces, texts = word_pieces(), TEXTS
        if kind == "distilbert":
            tokenizer = word_piece(pieces)
    if tokenizer:
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n")
    else:
        # The older form of a vocabulary.
        (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    toy = Toy(kind, len(pieces))
    found = tensors(toy)
    config = {**CONFIGS[kind], "vocab_size": len(pieces)}
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    (folder / "model.safetensors").write_bytes(safetensors(found))
    forward = Forward(toy, found)
    ids = [[pieces.index(piece) for piece in text] for text in texts]
    lines = [{"ids": text, "states": [[[round(x, 7) for x in row] for row in layer] for layer in forward.states(text)]} for text in ids]
    (folder / "hidden.json").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", metavar="toy-KIND", help="the folders that are written")
    for folder in parser.parse_args().folders:
        write(folder)


if __name__ == "__main__":
    main()
