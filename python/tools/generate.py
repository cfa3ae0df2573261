#!/usr/bin/env python3
"""Writes what is made from the program: majuscule/_restore_options.py, the options of restoring, majuscule/_options.py, those of
its verbs, and majuscule/_native.pyi, the types of the native part as maturin writes them.

    maturin generate-stubs --profile dev --out FOLDER
    python tools/generate.py FOLDER [--check]

With --check nothing is written, and a difference is an error.
"""

import argparse
import pathlib
import re
import sys
import textwrap

from majuscule import _native, _verbs
from majuscule._learning import METHODS

HERE = pathlib.Path(__file__).parents[1]

# Options that a call has in another way, or that only a terminal needs.
OTHERWISE = {"output", "model", "preset", "cascade", "sure", "json", "markdown", "device", "precision"}
LIVE = {"lang", "in_place", "check", "diff", "stream", "max_delay", "id", "confidence", "n_best", "quiet"}

VERBS = {
    "RestoreFileOptions": ([("restore",)], OTHERWISE | LIVE),
    "ConvertOptions": ([("convert",)], OTHERWISE),
    "TrainOptions": ([("train", method) for method in METHODS], OTHERWISE),
    "EvaluateOptions": ([("evaluate",)], OTHERWISE),
    "ScoreOptions": ([("score",)], OTHERWISE),
    # Outputs of other systems are inputs here.
    "CompareOptions": ([("compare",)], OTHERWISE - {"output"}),
    "LmTrainOptions": ([("lm", "train")], OTHERWISE),
    "LexiconBuildOptions": ([("lexicon", "build")], OTHERWISE),
}

PATHS = {"FILE", "FOLDER", "HYPOTHESIS", "CORPUS", "TEXT", "MODEL"}
NUMBERS = {"N": "int", "WORDS": "int", "LEVEL": "int", "P": "float", "S": "float", "SHARE": "float"}
REALS = {"PENALTY", "FRACTION", "NUMBER", "C", "WEIGHT", "RATE", "COST"}

SPELLINGS = 'Spellings that always win: "iPhone", "New York"'
FORMER = "The former name of `spellings`"

HEAD = '''"""The options of the program's verbs as keyword arguments. Made by tools/generate.py: change the program instead."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

Path = str | os.PathLike[str]
'''


def kind_of(option):
    """Returns the type of the values of an option."""
    if option.name == "words" and option.value == "FILE":
        return "Iterable[str]"
    if option.choices and option.choices not in (["true", "false"],):
        one = f"Literal[{', '.join(repr(name).replace(chr(39), chr(34)) for name in option.choices)}]"
    elif option.value in PATHS:
        one = "Path"
    elif option.value in NUMBERS:
        one = NUMBERS[option.value]
    elif option.value in REALS:
        one = "float"
    elif option.values.endswith("listed") and option.value.rstrip(",…").isupper() and len(option.value.rstrip(",…")) == 1:
        one = "float"
    else:
        one = "str"
    return {
        "flag": "bool",
        "one": one,
        "optional": f"bool | {one}",
        "listed": f"{one} | Iterable[{one}]",
        "optional listed": f"bool | {one} | Iterable[{one}]",
        "repeated": f"{one} | Iterable[{one}]",
    }[option.values]


def help_of(option):
    """Returns the description of an option as a sentence."""
    text = " ".join(option.help.split()).replace("\\", "\\\\")
    text = re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda found: _verbs.python_name(found[1]), text)
    text = text if text.endswith((".", ")", "!")) else f"{text}."
    default = f" The default is {option.default}." if option.default and option.values != "flag" else ""
    return text + default


RESTORE_HEAD = '''"""The options of restoring as keyword arguments. Made by tools/generate.py: change the library instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """The options of restoring, with the names and defaults of the command line."""

'''


def quoted(text):
    """Returns a documentation string in lines."""
    return textwrap.wrap(f'"""{text}"""', 118, initial_indent="    ", subsequent_indent="    ")


def restore_options():
    """Returns the text of the module of the options of restoring."""
    lines = []
    for name, help_text, kind, names in [*_native.user_options(), ("spellings", SPELLINGS, "texts", []), ("words", FORMER, "texts", [])]:
        one = f"Literal[{', '.join(chr(34) + name + chr(34) for name in names)}]"
        types = {"flag": "bool", "text": "str", "count": "int", "number": "float", "seconds": 'float | Literal["never"]'}
        types |= {"marks": "bool | str", "texts": "Iterable[str]", "choice": one, "choices": f"{one} | Iterable[{one}]"}
        lines += [f"    {name}: {types[kind]}", *quoted(help_text.replace("\\", "\\\\") + ".")]
    return RESTORE_HEAD + "\n".join(lines) + "\n"


def page():
    """Returns the text of the module."""
    parts = [HEAD]
    for name, (verbs, hidden) in VERBS.items():
        options = {}
        for verb in verbs:
            options.update({key: option for key, option in _verbs.options(*verb).items() if key not in hidden})
        lines = [f"class {name}(TypedDict, total=False):", f'    """The options of `majuscule {verbs[0][0]}`."""', ""]
        for key, option in sorted(options.items()):
            if key == "words" and option.value == "FILE":
                lines += ["    spellings: Iterable[str]", *quoted(help_of(option)), "    words: Iterable[str]", *quoted(FORMER + ".")]
            else:
                lines += [f"    {key}: {kind_of(option)}", *quoted(help_of(option))]
        parts.append("\n".join(lines) + "\n")
    return "\n\n".join(parts)


def stubs(folder):
    """Returns the types of the native part, for the interpreters that the package supports."""
    text = (pathlib.Path(folder) / "majuscule" / "_native.pyi").read_text(encoding="utf-8")
    # It is in types from Python 3.13 only.
    text = text.replace("from types import CapsuleType\n", "")
    text = text.replace("from typing import ", "from typing_extensions import CapsuleType\nfrom typing import ", 1)
    return text.replace("**given)", "**given: Any)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="the folder of maturin generate-stubs")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    files = ("_restore_options.py", restore_options()), ("_options.py", page()), ("_native.pyi", stubs(options.folder))
    for name, text in files:
        file = HERE / "majuscule" / name
        if not options.check:
            file.write_text(text, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != text:
            sys.exit(f"{name} is not what the program has: run python tools/generate.py, as it says itself")


if __name__ == "__main__":
    main()
