# SPDX-License-Identifier: Apache-2.0
"""A C program's MLI 1.x calls, answered by the golden model and recorded."""

import contextlib
import copy
import os
import signal
import subprocess
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac import golden
from xymac.golden.api.mli1.functions import Mli
from xymac.golden.api.mli1.memory import element_size
from xymac.golden.api.rules import Scope
from xymac.golden.api.types import mli_status
from xymac.golden.mli1.move import CONCAT_MAX
from xymac.hdl.isa import RoundMode
from xymac.host.errors import InputError, translate_refusals

from .arguments import (
    TensorFields,
    Told,
    bind_arguments,
    describe_tensor,
    make_tensors,
)

__all__ = ["MliCall", "record_calls"]

_INPUTS = ("in_", "in1", "in2", *(f"inputs{index}" for index in range(CONCAT_MAX)), "prev_out",
           "cell")
# Word indices in a call line; see xymac_mli_record.c.
_REASON = 900  # most characters of a reason
_NAME, _MODE, _OVERLAPS, _CONSTANTS, _OUT, _TENSORS, _NUMBERS = range(1, 8)


@dataclass(frozen=True)
class MliCall:
    """A call and its result.

    Parameters
    ----------
    name : str
    overlaps : int, mask for tensors sharing memory, see ``xymac_mli_call.h``
    tensors : tuple, each TensorFields or None
    numbers : tuple of int, configuration fields; None if it is missing
    status : int
    reason : str, sentence for a status other than OK
    result : the output's TensorFields, or None
    layer, operands : golden layer and its inputs; None if the status is not OK
    inputs : tuple of int, the operands' tensor indices, then the states'
    """

    name:     str
    overlaps: int
    tensors:  tuple
    numbers:  tuple | None
    status:   int = 0
    reason:   str = ""
    result:   TensorFields | None = None
    layer:    object = None
    operands: tuple = ()
    inputs:   tuple = ()

    @property
    def key(self):
        """Common properties for calls with the same execution."""
        return self.name, self.overlaps, self.tensors, self.numbers


def record_calls(program, rounding=RoundMode.CONVERGENT):
    """Run a program and answer its calls; returns a MliCall list, the first successful call per
    key.

    ``rounding`` (RoundMode) is the library's rounding. InputError if the program cannot run, fails
    or makes no call.
    """
    noted = {}
    with _pipes() as (theirs, calls, answers):
        process = _start(program, theirs)
        with process:
            told = _Answers(calls, answers, rounding)
            try:
                for call in told:
                    if call.key not in noted or noted[call.key].status:
                        noted[call.key] = call
            except InputError:
                told.end()
                raise
            except BaseException:
                process.kill()
                raise
    if process.returncode:
        raise InputError(f"{program} {_ending(process.returncode)}")
    if not noted:
        raise InputError(f"{program} called no function of MLI: is it linked with "
                         f"xymac_mli_record.c?")
    return list(noted.values())


def _ending(code):
    """How a program ended, for its return code; below 0 is a signal's number."""
    if code >= 0:
        return f"ended with code {code}"
    names = {each.value: each.name for each in signal.Signals}
    return f"was ended by the signal {names.get(-code, -code)}"


@contextlib.contextmanager
def _pipes():
    """Pipe ends for two pipes: the program's as file numbers, ours as files."""
    call_end, call_start     = os.pipe()
    answer_end, answer_start = os.pipe()
    with (contextlib.suppress(BrokenPipeError),  # a program that ended says so by its code
          open(call_end, "rb") as calls, open(answer_start, "wb") as answers):
        yield (call_start, answer_end), calls, answers


def _start(program, pipes):
    """Start a program; afterwards only its process holds ``pipes``."""
    try:
        return subprocess.Popen([os.path.abspath(program)], pass_fds=pipes, env=os.environ | {
            "XYMAC_CALLS": f"/dev/fd/{pipes[0]}", "XYMAC_ANSWERS": f"/dev/fd/{pipes[1]}"})
    except OSError as error:
        reason = "it is a folder" if os.path.isdir(program) else error.strerror
        raise InputError(f"{program} does not start: {reason}") from error
    finally:
        for number in pipes:
            os.close(number)


class _Answers:
    """Iterator over calls; each call is answered before it is returned."""

    def __init__(self, calls, answers, rounding):
        self._calls, self._answers = calls, answers
        self._made    = None  # layer and operands of the last call
        self._library = Mli(evaluate=self._evaluate, rounding=rounding)

    def __iter__(self):
        while line := self._calls.readline():
            yield self._take(line.decode("ascii", "backslashreplace").split())

    def _evaluate(self, layer, *operands):
        # The result may be written over operands and constants, which share the tensors' memory.
        self._made = copy.deepcopy(layer), tuple(replace(x, data=x.data.copy()) for x in operands)
        return golden.run(layer, *operands)

    def _take(self, words):
        """MliCall for a request line, with its answer sent."""
        with translate_refusals("A call of the program cannot be read", Exception):
            call, told = self._read(words)
            tensors = make_tensors(told)
            with translate_refusals("The program", AttributeError):
                function = self._library.function(call.name)
            examines = bool(int(words[_MODE]))
            arguments, places = bind_arguments(function.name, tensors, call.numbers)
        if arguments.get("inputs"):
            # A program hands over at most its own MLI_CONCAT_MAX_TENSORS inputs.
            self._library.concat_max_tensors = len(arguments["inputs"])
        status, reason = self._apply(function, arguments, examines)
        self._answer(status, reason, () if status else tuple(
            places[each] for each in ("out", "cell") if each in places), tensors)
        if status:
            return replace(call, status=status, reason=reason)
        layer, operands = self._made
        return replace(call, layer=layer, operands=operands, inputs=tuple(
            places[each] for each in _INPUTS if each in places),
            result=describe_tensor(arguments["out"]))

    def _apply(self, function, arguments, examines):
        """A call's status and reason; in release mode only calls without a defined result fail."""
        library, name = self._library, function.name
        if not name.exists:
            return mli_status.MLI_STATUS_NOT_SUPPORTED, f"{name.text} is not in this library"
        bound = dict.fromkeys(name.options, False) | arguments
        call  = library.bind(name, bound)
        scope = Scope.MODES if examines else Scope.ALWAYS
        violation = library.violation(call, scope)
        if violation is not None:
            return violation
        library.apply(call)
        return mli_status.MLI_STATUS_OK, ""

    def end(self):
        """Let the program end in its call, with its output written."""
        with contextlib.suppress(BrokenPipeError):  # nothing stays in a buffer for a dead program
            os.write(self._answers.fileno(), b"-1 0 \n")

    def _read(self, words):
        """MliCall for a request line, without its result, and its tensors."""
        numbers = None
        if int(words[_NUMBERS]) >= 0:
            numbers = tuple(map(int, words[_NUMBERS + 1:]))
        overlaps, constants, out = (int(words[place]) for place in (_OVERLAPS, _CONSTANTS, _OUT))
        told   = [self._read_tensor(index >= out) for index in range(int(words[_TENSORS]))]
        shapes = tuple(None if each is None else _fields(each, index > out, constants >> index & 1)
                       for index, each in enumerate(told))
        return MliCall(words[_NAME], overlaps, shapes, numbers), told

    def _read_tensor(self, is_written):
        words = self._calls.readline().split()
        if words == [b"null"]:
            return None
        address, capacity, *shape, rank, kind, frac_bits, scalar, size = map(int, words)
        return Told(address, capacity, TensorFields(tuple(shape), rank, kind, frac_bits),
                    None if is_written else scalar, self._calls.read(size))

    def _answer(self, status, reason, written, tensors):
        line  = " ".join(reason.split())[:_REASON]
        lines = [f"{int(status)} {len(written)} {line}\n".encode("ascii", "replace")]
        for index in written:
            shape = describe_tensor(tensors[index])
            size  = prod(shape.shape[:shape.rank]) * element_size(shape.type)
            data  = tensors[index].data.reshape(-1).view(np.uint8)[:size]
            words = (index, *shape.shape, shape.rank, shape.type, shape.frac_bits, size)
            lines += [" ".join(map(str, words)).encode() + b"\n", data.tobytes()]
        with contextlib.suppress(BrokenPipeError):
            self._answers.write(b"".join(lines))
            self._answers.flush()


def _fields(told, is_room, is_constant):
    """A tensor's relevant fields; for an output only its format."""
    if is_room:
        return TensorFields((0, 0, 0, 0), 0, 0, 0)
    if told.scalar is None:
        return TensorFields((0, 0, 0, 0), 0, told.shape.type, told.shape.frac_bits)
    shape = (*told.shape.shape[:told.shape.rank], 0, 0, 0, 0)[:4]
    return replace(told.shape, shape=shape, hash=told.hash if is_constant else 0)
