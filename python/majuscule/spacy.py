"""Components of spaCy: `majuscule_sentences` finds sentences, `majuscule_truecase` restores capitals.

Both are there after `pip install majuscule`, in every pipeline, also an empty one:

>>> import spacy
>>> nlp = spacy.blank("en")
>>> _ = nlp.add_pipe("majuscule_sentences")
>>> _ = nlp.add_pipe("majuscule_truecase")
>>> doc = nlp("we met angela merkel in lisbon it was a cold day")
>>> [sentence._.truecased for sentence in doc.sents]
['We met Angela Merkel in Lisbon', 'It was a cold day']

A tagger or an entity recogniser needs the capitals in the words themselves: `truecase_doc` makes such a document, and so
does `majuscule_truecase` with `"replace": True` for the components behind it.
"""

# No annotations as text: spaCy reads the types of the factories' arguments.
from majuscule._errors import UsageError
from majuscule._model import Model, Preset, load_given
from majuscule._sentence import restored_sentence

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token
except ImportError as error:
    raise ImportError("majuscule.spacy needs spaCy: pip install spacy") from error

__all__ = ["SentenceFinder", "DocTruecaser", "make_sentences", "make_truecase", "truecase_doc"]


def _model(nlp: Language, lang: str | None, preset: Preset, model: str | None) -> Model:
    """Load the model of a component: by default that of the pipeline's language."""
    return load_given(lang or nlp.lang, preset, model)


class SentenceFinder:
    """Sets `token.is_sent_start`, and so `doc.sents`, also where a text has no punctuation.

    Tokens for which an earlier component has decided keep that unless `overwrite` is set.
    """

    def __init__(self, model: Model, overwrite: bool = False) -> None:
        self.model = model
        self.overwrite = overwrite

    def __call__(self, doc: Doc) -> Doc:
        # White space before the first sentence is its own here.
        starts = iter([0, *(start for start, _ in self.model.sentences(doc.text)[1:])])
        start = next(starts, None)
        for token in doc:
            is_start = start is not None and token.idx >= start
            while start is not None and token.idx >= start:
                start = next(starts, None)
            if self.overwrite or token.is_sent_start is None:
                token.is_sent_start = is_start
        return doc


class DocTruecaser:
    """Sets `doc._.truecased`, from which the same attribute of tokens and spans follows.

    A document with sentences, such as those of `majuscule_sentences`, gets a capital at the start of each; otherwise the
    model finds the sentence starts that it is certain of.

    With `replace`, it returns a document of the truecased words instead: see `truecase_doc`.
    """

    def __init__(self, model: Model, replace: bool = False) -> None:
        self.model = model
        self.replace = replace

    def __call__(self, doc: Doc) -> Doc:
        if doc.has_annotation("SENT_START"):
            doc._.truecased = "".join(restored_sentence(self.model, sent.text_with_ws) for sent in doc.sents)
        else:
            doc._.truecased = self.model.restore(doc.text)
        return truecase_doc(doc) if self.replace else doc


def truecase_doc(doc: Doc) -> Doc:
    """Return a new document of the truecased words, with the spaces, sentence starts and user data of the given one.

    Other annotations, which were made from words without capitals, are left behind.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("majuscule_truecase")
    >>> [token.text for token in truecase_doc(nlp("we met angela"))]
    ['We', 'met', 'Angela']
    """
    if doc._.truecased is None:
        raise UsageError('the document has no truecased text: nlp.add_pipe("majuscule_truecase") gives it one')
    new = Doc(
        doc.vocab,
        words=[token._.truecased for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        user_data=dict(doc.user_data),
        sent_starts=[token.is_sent_start for token in doc] if doc.has_annotation("SENT_START") else None,
    )
    # spaCy keeps the context of nlp.pipe(as_tuples=True) there.
    new._context = doc._context
    return new


def _truecased_token(token: Token) -> str:
    return _truecased(token.doc, token.idx, token.text)


def _truecased_span(span: Span) -> str:
    return _truecased(span.doc, span.start_char, span.text)


def _truecased(doc: Doc, start: int, text: str) -> str:
    """Return a part of the truecased text, which has the length of the text; without it the part as it is."""
    truecased: str | None = doc._.truecased
    return text if truecased is None else truecased[start : start + len(text)]


def make_sentences(
    nlp: Language, name: str, lang: str | None, preset: Preset, model: str | None, overwrite: bool
) -> SentenceFinder:
    """Make the component `majuscule_sentences`."""
    return SentenceFinder(_model(nlp, lang, preset, model), overwrite)


def make_truecase(
    nlp: Language, name: str, lang: str | None, preset: Preset, model: str | None, replace: bool
) -> DocTruecaser:
    """Make the component `majuscule_truecase`."""
    return DocTruecaser(_model(nlp, lang, preset, model), replace)


_SOURCE = {"lang": None, "preset": "accurate", "model": None}

Language.factory(
    "majuscule_sentences",
    default_config={**_SOURCE, "overwrite": False},
    assigns=["token.is_sent_start", "doc.sents"],
    func=make_sentences,
)
Language.factory(
    "majuscule_truecase",
    default_config={**_SOURCE, "replace": False},
    assigns=["doc._.truecased", "token._.truecased", "span._.truecased"],
    func=make_truecase,
)

Doc.set_extension("truecased", default=None, force=True)
Token.set_extension("truecased", getter=_truecased_token, force=True)
Span.set_extension("truecased", getter=_truecased_span, force=True)
