"""The program: `python -m majuscule`, or `majuscule` on the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the program with the arguments of this process, and return its exit code."""
    from majuscule import _native

    return _native.program([sys.executable, "-m", "majuscule"], ["majuscule", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
