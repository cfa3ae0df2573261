"""The exceptions of the package. Their messages say what was found, what was expected, where, and what to do."""

from __future__ import annotations


class Error(Exception):
    """An error of majuscule."""


class UsageError(Error, ValueError):
    """Arguments that no data can satisfy."""


class InputError(Error, ValueError):
    """An error in a text or a file, which its owner can correct."""


class ModelError(Error, ValueError):
    """A model that cannot be used."""


class FileError(Error, OSError):
    """An error of the system: a disk is full, a pipe is closed."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist."""


class Interrupted(Error):
    """The work was stopped."""


class Bug(Error, RuntimeError):
    """A bug of majuscule: please report it with what shows it."""
