#!/usr/bin/env python3
"""Finds sentence ends by translation into punctuated text, as the baseline of Vandeghinste & Guhr 2023, beside majuscule, in one run.

    python3 benches/peers/translation.py TEST TRAIN... [--lang nl] [--words 2000000] [--updates 4000] [--majuscule target/dist/majuscule]

All systems learn from the same words of TRAIN, files of punctuated text, and find the sentence ends of TEST in one stream of words:
windows of --window words (20), one word apart, where a sentence ends if more than a tenth of the windows with a word put a full stop
or a question mark after it. `majuscule score --protocol segments` compares them.

The translation is a small transformer of JoeyNMT (2 layers of 128) on one core, from words without marks to the same words with
marks, in pieces of the text that are cut at random. The paper's is a transformer of OpenNMT, trained on SONAR and the Corpus Spoken
Dutch. The second row is the translation that keeps the words and their order: S o T, with the transducer of a language model that
has marks as words (`ngram --arcs epsilon`). The last row is `maxent` with the paper's windows of 200.

Needs `pip install joeynmt importlib_metadata` (JoeyNMT 2.3.0 uses the second and does not name it), with PyTorch.
"""

import argparse
import difflib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from marks import marked, words_of

# The share of windows above which a sentence ends.
THRESHOLD = 0.1

CONFIG = """
name: marks
model_dir: {folder}/model
use_cuda: False
random_seed: 1
data:
    train: {folder}/train
    dev: {folder}/dev
    dataset_type: plain
    src: {{lang: src, level: word, max_length: 60, voc_file: {folder}/vocabulary}}
    trg: {{lang: trg, level: word, max_length: 60, voc_file: {folder}/vocabulary}}
testing: {{batch_size: 256, batch_type: sentence, beam_size: 1, max_output_length: 80, eval_metrics: []}}
training:
    optimizer: adamw
    adam_betas: [0.9, 0.98]
    learning_rate: 0.002
    learning_rate_warmup: 400
    scheduling: warmupinversesquareroot
    label_smoothing: 0.1
    batch_size: 4096
    batch_type: token
    normalization: tokens
    early_stopping_metric: ppl
    epochs: 1000
    updates: {updates}
    logging_freq: 100
    validation_freq: {updates}
    keep_best_ckpts: 1
    overwrite: True
    print_valid_sents: []
model:
    initializer: xavier_uniform
    init_gain: 1.0
    bias_initializer: zeros
    embed_initializer: xavier_uniform
    embed_init_gain: 1.0
    tied_embeddings: True
    tied_softmax: True
    encoder: {{type: transformer, num_layers: 2, num_heads: 4, embeddings: {{embedding_dim: 128, scale: True}}, hidden_size: 128, ff_size: 512, dropout: 0.1, layer_norm: pre}}
    decoder: {{type: transformer, num_layers: 2, num_heads: 4, embeddings: {{embedding_dim: 128, scale: True}}, hidden_size: 128, ff_size: 512, dropout: 0.1, layer_norm: pre}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", type=pathlib.Path)
    parser.add_argument("train", type=pathlib.Path, nargs="+")
    parser.add_argument("--lang", default="nl")
    parser.add_argument("--words", type=int, default=2_000_000, help="words to learn from")
    parser.add_argument("--updates", type=int, default=4000, help="steps of training of the translation")
    parser.add_argument("--window", type=int, default=20)
    parser.add_argument("--majuscule", default="target/dist/majuscule")
    given = parser.parse_args()
    majuscule = str(pathlib.Path(given.majuscule).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        words, marks = text_of(given.train, given.words, folder / "text")
        spoken = words_of(majuscule, given.test, given.lang, folder)
        (folder / "spoken").write_text(" ".join(spoken) + "\n", encoding="utf-8")
        print(f"{len(words):,} words to learn from, {len(spoken):,} words of {given.test.name}\n")
        print("| system | windows | P % | R % | F % | training s | restoring s |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        start = time.monotonic()
        config, codes = learn(words, marks, given.updates, folder)
        trained = time.monotonic()
        ends = translated(spoken, given.window, config, codes)
        restored = time.monotonic()
        hypothesis = folder / "hypothesis"
        hypothesis.write_text(" ".join(w + "." * e for w, e in zip(spoken, ends)) + "\n", encoding="utf-8")
        row("JoeyNMT", given, majuscule, hypothesis, given.window, trained - start, restored - trained)
        for name, method, protocol, window in [
            ("majuscule ngram (S o T)", ["ngram", "--order", "3", "--arcs", "epsilon"], "text", given.window),
            ("majuscule hmm", ["hmm", "--order", "4"], "text", given.window),
            ("majuscule maxent", ["maxent"], "mix", 200),
        ]:
            model = folder / method[0]
            start = time.monotonic()
            command = [majuscule, "train", *method, "--marks", "--protocol", protocol, "--lang", given.lang, "--split"]
            command += ["--threads", "1", "--force", "-o", model, folder / "text"]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            trained = time.monotonic()
            command = [majuscule, "restore", "--quiet", "--marks", "--threads", "1", "--case", "ignore", "--model", model]
            command += ["--window", str(window), "--end-threshold", str(THRESHOLD), folder / "spoken", "--force", "-o", hypothesis]
            subprocess.run(command, check=True)
            row(name, given, majuscule, hypothesis, window, trained - start, time.monotonic() - trained)


def row(name, given, majuscule, hypothesis, window, training, restoring):
    """Scores a text and prints its row."""
    command = [majuscule, "score", given.test, hypothesis, "--protocol", "segments", "--lang", given.lang, "--split", "--json"]
    ends = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["sentence_ends"]
    shown = " | ".join(f"{100 * (ends[key] or 0):.1f}" for key in ["precision", "recall", "f"])
    print(f"| {name} | {window} | {shown} | {training:.0f} | {restoring:.0f} |", flush=True)


def text_of(paths, most, target):
    """Copies the lines of texts up to a number of words; returns their words in lower case and the mark after each."""
    words, marks = [], []
    with open(target, "w", encoding="utf-8", newline="\n") as out:
        for path in paths:
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    if len(words) >= most:
                        break
                    more, after = marked(line)
                    words += more
                    marks += after
                    out.write(line)
    return words, marks


def learn(words, marks, updates, folder):
    """Trains the translation; returns its configuration and the codes that cut words into pieces."""
    os.environ["TQDM_DISABLE"] = "1"
    from subword_nmt.apply_bpe import BPE
    from subword_nmt.learn_bpe import learn_bpe

    with open(folder / "words", "w", encoding="utf-8") as out:
        out.write(" ".join(words))
    with open(folder / "words", encoding="utf-8") as text, open(folder / "codes", "w", encoding="utf-8") as out:
        learn_bpe(text, out, 6000)
    codes = BPE(open(folder / "codes", encoding="utf-8"))
    drawn, pieces, at = random.Random(1), [], 0
    known = {}
    while at < len(words):
        end = at + drawn.randint(5, 30)
        cut = [known.setdefault(word, codes.process_line(word)) for word in words[at:end]]
        pieces.append((" ".join(cut), " ".join(f"{w} {m}" if m != "O" else w for w, m in zip(cut, marks[at:end]))))
        at = end
    for name, part in [("dev", pieces[:200]), ("train", pieces[200:])]:
        for side, extension in [(0, "src"), (1, "trg")]:
            (folder / f"{name}.{extension}").write_text("".join(pair[side] + "\n" for pair in part), encoding="utf-8")
    vocabulary = sorted({token for _, target in pieces for token in target.split()})
    (folder / "vocabulary").write_text("".join(f"{token}\n" for token in ["<unk>", "<pad>", "<s>", "</s>", *vocabulary]))
    config = folder / "config.yaml"
    config.write_text(CONFIG.format(folder=folder, updates=updates))
    joey("train", config, "--skip-test")
    return config, codes


def joey(verb, config, *options, **pipes):
    """Runs JoeyNMT on one core."""
    command = [sys.executable, "-m", "joeynmt", verb, config, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, **pipes)
    if done.returncode:
        sys.exit(f"joeynmt {verb}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def translated(words, window, config, codes):
    """Translates all windows; returns for each word whether a sentence ends after it."""
    starts = range(max(1, len(words) - window + 1))
    sources = [words[start : start + window] for start in starts]
    text = "".join(codes.process_line(" ".join(source)) + "\n" for source in sources)
    answers = joey("translate", config, input=text).splitlines()
    if len(answers) != len(sources):
        sys.exit(f"joeynmt translated {len(answers)} of {len(sources)} windows")
    votes, seen = [0] * len(words), [0] * len(words)
    for start, source, answer in zip(starts, sources, answers):
        answer = answer.replace("@@ ", "").split()
        spelled = [word for word in answer if word not in ".,?"]
        places = [len([w for w in answer[:at] if w not in ".,?"]) for at, word in enumerate(answer) if word in ".?"]
        # Words of the answer that the source has tell where its marks stand.
        blocks = difflib.SequenceMatcher(None, spelled, source, autojunk=False).get_matching_blocks()
        place = {block.a + i: block.b + i for block in blocks for i in range(block.size)}
        for at in range(len(source)):
            # The last word of a window may end it only where the text ends.
            seen[start + at] += at + 1 < len(source) or start + window >= len(words)
        for at in {place[before - 1] for before in places if before - 1 in place}:
            votes[start + at] += at + 1 < len(source) or start + window >= len(words)
    return [vote > THRESHOLD * max(1, windows) for vote, windows in zip(votes, seen)]


if __name__ == "__main__":
    main()
