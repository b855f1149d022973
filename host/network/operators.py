# SPDX-License-Identifier: Apache-2.0
"""Supported TensorFlow Lite operators, determined by the checking code itself.

Every entry was tried: a small network with the operator runs through the file checks, the golden
checks and a core's lowerings.
"""

from dataclasses import dataclass, replace

from xymac.host.errors import InputError
from xymac.host.plan.plan import Plan
from xymac.host.tflite.codes import ACTIVATION, PADDING
from xymac.host.tflite.prepare import check_model
from xymac.host.tflite.samples.sample import sample_model
from xymac.host.tflite.samples.wish import (
    BOOL,
    FLOAT32,
    INT4,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    Wish,
)
from xymac.host.tflite.signatures import LAYERLESS, SIGNATURES

from .edges import split_network
from .tflite import network_of

__all__ = ["COLUMNS", "OperatorRow", "list_operators"]

_TYPES  = (INT8, INT16, INT32, INT64, FLOAT32, UINT8, BOOL)
_BIASES = (None, INT16, INT32, INT64, FLOAT32)
_KINDS  = tuple((kind, to) for kind in _TYPES for to in _TYPES)

#: Tried values of each column except the types: texts and wishes.
_TRIALS = {
    "bias": tuple(("none" if bias is None else bias.name, {"bias": bias}) for bias in _BIASES),
    "weights, states": tuple((kind.name, {"other": kind}) for kind in (INT4, INT8, INT16, FLOAT32)),
    "scales of weights": (("one", {"many": False}), ("one an output", {"many": True})),
    "dimensions": tuple((str(rank), {"rank": rank}) for rank in range(1, 7)),
    "batches": (("1", {"batch": 1}), ("more", {"batch": 3})),
    "strides": tuple((str(stride), {"stride": stride}) for stride in (1, 2, 3, 4, 7)),
    "dilations": tuple((str(step), {"dilation": step}) for step in (1, 2, 3, 4)),
    "multiplier, groups, rank": tuple((str(times), {"times": times}) for times in (1, 2, 4)),
    "padding": tuple((padding.name, {"padding": padding}) for padding in PADDING),
    "activations": tuple((each.name, {"activation": each}) for each in ACTIVATION),
}
_ANY    = ("strides", "dilations", "multiplier, groups, rank")  #: Columns of sampled numbers.
COLUMNS = ("operator", "types", *_TRIALS, "core")  #: Table columns.


@dataclass(frozen=True)
class OperatorRow:
    """An operator's table row.

    Parameters
    ----------
    name : str
    cells : dict by the other ``COLUMNS``: options computed by golden, in brackets if the core does
        not; empty if the operator has no such option
    """

    name:  str
    cells: dict


def list_operators(config, progress=lambda: None):
    """Yield every operator's OperatorRow for a core with ``config``; ``progress()`` after each.
    """
    for name in SIGNATURES:
        yield _Trial(name, config).row()
        progress()


class _Trial:
    """Trial for an operator's options."""

    def __init__(self, name, config):
        self._name, self._config = name, config
        self._outcomes, self._reasons = {}, []

    def row(self):
        """The OperatorRow."""
        usual = self._usual()
        cells = {"types": self._types(usual)}
        for column, trials in _TRIALS.items():
            cells[column] = self._cell(column, usual, trials)
        cells["core"] = self._core()
        return OperatorRow(self._name, cells)

    def _usual(self):
        """Supported wishes with default options, a list with one per type pair, most common first.
        """
        kinds = [replace(Wish(), kind=kind, to=to, bias=bias, other=other)
                 for kind, to in _KINDS for bias in (INT32, INT64, FLOAT32, None)
                 for other in (INT8, INT16, FLOAT32)]
        usual = {}
        for wish in kinds:
            for rank in (4, 2):
                given = replace(wish, rank=rank)
                if (wish.kind, wish.to) not in usual and self._try(given) is not None:
                    usual[wish.kind, wish.to] = given
        return [*usual.values()]

    def _types(self, usual):
        return _join([(_pair(wish), self._try(wish)) for wish in usual])

    def _cell(self, column, usual, trials):
        """Column text; separate texts for different type pairs."""
        texts = {}
        for wish in usual:
            usually = sample_model(self._name, wish)
            if all(sample_model(self._name, replace(wish, **change)) == usually
                   for _, change in trials):
                return ""
            tried = [(text, self._try(replace(wish, **change))) for text, change in trials]
            text  = _join(tried)
            if column in _ANY and all(each for _, each in tried):
                text = "any"
            texts.setdefault(text, []).append(_pair(wish))
        if len(texts) == 1:
            return next(iter(texts))
        return "; ".join(f"{', '.join(pairs)}: {text}" for text, pairs in texts.items())

    def _core(self):
        """Text about the core's support for golden's options."""
        if self._name in LAYERLESS:
            return "needs no passes"
        taken = [each for each in self._outcomes.values() if each is not None]
        if not self._reasons:
            return "the host" if all(each == "host" for each in taken) else "all"
        return ("none" if not any(taken) else "not what is in brackets") + f": {self._reasons[0]}"

    def _try(self, wish):
        """Whether a network is taken: None if golden refuses it, False if the core does; "host" if
        the host computes it."""
        try:
            model = sample_model(self._name, wish)
        except (IndexError, ValueError):
            return None
        # Many wishes are for the same model.
        if model not in self._outcomes:
            self._outcomes[model] = self._ask(model)
        return self._outcomes[model]

    def _ask(self, model):
        try:
            check_model(model)
            network = network_of(model, self._name)
            core    = split_network(network)
        except (InputError, IndexError, ValueError):
            return None
        if not core.parts:
            return "host"
        try:
            for part in core.parts:
                Plan(self._config, part.nodes, *part.blanks, outputs=part.outputs)
        except ValueError as error:
            reason = str(error).rpartition("'): ")[2]
            if reason not in self._reasons:
                self._reasons.append(reason)
            return False
        return True


def _pair(wish):
    return (wish.kind.name if wish.kind == wish.to else f"{wish.kind.name} > {wish.to.name}")


def _join(tried):
    """Supported values as text, in brackets if the core lacks them; gapless numbers as a range."""
    taken = [(text, outcome) for text, outcome in tried if outcome is not None]
    whole = all(outcome == "host" for _, outcome in taken)
    texts = [f"({text})" if not outcome else f"{text} (host)" if outcome == "host" and not whole
             else text for text, outcome in taken]
    if len(texts) > 2 and all(map(str.isdigit, texts)):
        first, last = int(texts[0]), int(texts[-1])
        if last - first == len(texts) - 1:
            return f"{first} to {last}"
    return ", ".join(texts)
