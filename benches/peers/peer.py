"""Runs one peer as a whole process, from standard input to standard output. compare.py starts it.

    peer.py moses-train MODEL [asr] < CASED      learns a truecaser of sacremoses
    peer.py moses MODEL [asr] < TEXT             restores with it
    peer.py truecase < TEXT                      restores with PyPI's truecase and its own statistics

Both peers need words without the marks around them. A regular expression finds the words, and each answer replaces its word, so
the output differs from the input in case only and can be scored. A word that a peer changes in any other way stays as it was.
"""

import re
import sys

PIECE = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")


def main():
    verb, rest = sys.argv[1], sys.argv[2:]
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    if verb == "moses-train":
        moses(rest).train([PIECE.findall(line) for line in sys.stdin], save_to=rest[0])
    elif verb == "moses":
        caser = moses(rest, load=True)
        # Each line is a sentence, except in text like recogniser output.
        run(lambda words: caser.truecase(" ".join(words)), begin="asr" not in rest[1:])
    elif verb == "truecase":
        # get_true_case() would first ask nltk for sentence boundaries, which requires a download of nltk_data. Each line is a
        # sentence here, so the words go in directly.
        from truecase import get_truecaser

        caser = get_truecaser()
        run(lambda words: caser.get_true_case_from_tokens(words, "lower"))
    else:
        sys.exit(f"peer.py: {verb} is no verb: expected moses-train, moses or truecase")


def moses(arguments, load=False):
    from sacremoses import MosesTruecaser

    return MosesTruecaser(load_from=arguments[0] if load else None, is_asr="asr" in arguments[1:])


def run(restore, begin=False):
    """Restores line by line; with `begin` the first letter of each line becomes a capital, as in MosesDetruecaser."""
    for line in sys.stdin:
        pieces = list(PIECE.finditer(line))
        answers = restore([piece.group() for piece in pieces]) if pieces else []
        if len(answers) != len(pieces):
            answers = [piece.group() for piece in pieces]
        out, at = [], 0
        for piece, answer in zip(pieces, answers):
            word = piece.group()
            out += [line[at : piece.start()], answer if answer.lower() == word.lower() else word]
            at = piece.end()
        out.append(line[at:])
        text = "".join(out)
        sys.stdout.write(begun(text) if begin else text)


def begun(text):
    """Returns the text with its first letter as a capital, unless the capital is several letters."""
    for at, letter in enumerate(text):
        if letter.isalpha():
            upper = letter.upper()
            return text[:at] + (upper if len(upper) == 1 else letter) + text[at + 1 :]
    return text


main()
