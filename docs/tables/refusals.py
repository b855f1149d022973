"""What is refused, and why: out of the code that refuses, and the reasons beside it."""

from collections import defaultdict

from golden.api.mli1.names import GRAMMAR
from golden.api.reasons import ABSENT_NAMES
from golden.api.xs3.absent import ABSENT_FUNCTIONS, ABSENT_INSTRUCTIONS
from golden.reasons import Kind

from .sentences import FOLDERS, read_sentences
from .table import markdown

__all__ = ["absent", "contracts", "illegal", "models", "refusals"]

_LIBRARIES = {"mli1": "MLI 1.x", "mli2": "MLI 2.0", "tflm": "TensorFlow Lite", "xs3": "lib_nn"}
#: Files that are for many kernels, and folders whose name says less than it could.
_WORDS = {
    **dict.fromkeys(("arithmetic", "call", "checks", "conditions", "fields", "fixed", "functions",
                     "integers", "layer", "memory", "registry", "tensor", "types"), ""),
    "binary":     "elementwise of two",
    "conv":       "convolution",
    "dense":      "fully connected",
    "dimensions": "move",
    "eltwise":    "elementwise",
    "images":     "convolution, pool",
    "linear":     "convolution, fully connected",
    "luts":       "table",
    "products":   "convolution, fully connected, recurrent",
    "saturating": "convolution, fully connected",
    "status":     "convert",
    "vectors":    "fully connected",
    "window":     "pool",
}
_KERNELS   = {"convert", "l2_normalize"}  #: Files and folders that are for one kernel of a family.
_NO_REASON = "**no reason given**"


def _label(path):
    """Kernels and library that a file is for, as its path says."""
    words   = [*path.with_suffix("").parts[2 if path.parts[0] == "host" else 1:]]
    library = next((_LIBRARIES[word] for word in words if word in _LIBRARIES), "all libraries")
    words   = [word for word in words if word in _KERNELS] or words
    kernels = [_WORDS.get(word, word.replace("_", " ")) for word in words
               if word not in _LIBRARIES and word != "api"]
    if path.parts[:2] == ("host", "plan"):
        kernels = []
    return f"{next(filter(None, kernels), 'all kernels')}, {library}"


def _rows(folders, kind):
    """Rows of the sentences of a Kind, or without a reason."""
    return [(_label(each.path), each.text, _NO_REASON if each.reason is None else each.reason.text,
             f"`{each.path}`") for folder in folders for each in read_sentences(folder)
            if each.reason is None or each.reason.kind is kind]


_HEAD = ("kernels", "refused", "why", "said by")


def refusals():
    """What golden takes and a core does not: a row for every sentence."""
    return markdown(_HEAD, _rows(_of("host"), Kind.LIMIT))


def models():
    """What the documents allow, or could, and golden does not take: a row for every sentence."""
    return markdown(_HEAD, _rows(_of("golden"), Kind.LIMIT))


def _of(package):
    return [folder for folder in FOLDERS if folder.split("/")[0] == package]


def absent():
    """Functions and instructions that are not there, those with one reason in a row."""
    names = defaultdict(list)
    for key in (*GRAMMAR.absent, *GRAMMAR.absent_layouts):
        text = (f"mli_krn_{key[0]}_{key[1]}_<type>" if isinstance(key, tuple)
                else f"mli_krn_<name>_{key}")
        names["MLI 1.x", ABSENT_NAMES[key]].append(text)
    for library, table in (("lib_nn", ABSENT_FUNCTIONS), ("XS3 unit", ABSENT_INSTRUCTIONS)):
        for name, reason in table.items():
            names[library, reason].append(name)
    return markdown(("of", "names", "why"), [
        (library, ", ".join(f"`{name}`" for name in each), reason)
        for (library, reason), each in names.items()])


def illegal():
    """What means nothing: the sentences of a library by their reason."""
    texts = defaultdict(dict)
    for folder in FOLDERS:
        for each in read_sentences(folder):
            if each.reason is not None and each.reason.kind is Kind.ILLEGAL:
                place = ("plans" if each.path.parts[0] == "host"
                         else _label(each.path).rpartition(", ")[2])
                texts[place, each.reason.text][each.text] = None
    return markdown(("of", "why", "refused"), [
        (place, why, "<br>".join(each)) for (place, why), each in sorted(texts.items())])


def contracts():
    """What parts of the project promise each other, by what is promised."""
    texts = defaultdict(dict)
    for folder in FOLDERS:
        for each in read_sentences(folder):
            if each.reason is not None and each.reason.kind is Kind.CONTRACT:
                texts[each.reason.text][each.text] = None
    return markdown(("promise", "said without it"), [
        (why, "<br>".join(each)) for why, each in texts.items()])
