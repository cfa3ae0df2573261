"""Restores standard input by ctypes: python3 restore.py LIBRARY. The package `majuscule` does more in Python; this
example is for other languages that call C."""

import sys
from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_void_p, string_at


class String(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]


library = CDLL(sys.argv[1])
library.mj_model_embedded.argtypes = [c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_void_p)]
library.mj_restore.argtypes = [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(String), POINTER(c_void_p)]
library.mj_string_free.argtypes = [POINTER(String)]
library.mj_model_free.argtypes = library.mj_error_free.argtypes = [POINTER(c_void_p)]
library.mj_error_message.argtypes = [c_void_p]
library.mj_error_message.restype = c_char_p


def call(function, *arguments):
    """Calls a function with an address for its error, which becomes an exception."""
    error = c_void_p()
    function.restype = c_int
    if function(*arguments, byref(error)):
        message = library.mj_error_message(error).decode()
        library.mj_error_free(byref(error))
        raise ValueError(message)


model, restored = c_void_p(), String()
call(library.mj_model_embedded, b"en", None, byref(model))
text = sys.stdin.buffer.read()
call(library.mj_restore, model, text, len(text), b'{"marks": true}', byref(restored))
sys.stdout.buffer.write(string_at(restored.data, restored.length))
library.mj_string_free(byref(restored))
library.mj_model_free(byref(model))
