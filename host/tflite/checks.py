# SPDX-License-Identifier: Apache-2.0
"""Consistency checks of a TensorFlow Lite network; each raises InputError with the tensor or
operator at fault.
"""

from xymac.host.errors import InputError
from xymac.host.plural import plural

from .codes import TENSOR_TYPE
from .model import ABSENT
from .operands import Scales
from .signatures import SIGNATURES
from .tensors import check_channels, check_tensor

__all__ = ["check_ends", "check_operands", "check_order", "check_signature", "name_of",
           "short_name_of"]

_BIASES = (TENSOR_TYPE.INT32, TENSOR_TYPE.INT64)
#: Element types that require a scale.
_SCALED = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.UINT8)


def name_of(graph, number):
    """An operator's number and name, to begin a sentence; ``graph`` is a Subgraph."""
    return f"Operator {number} ({graph.operators[number].name})"


def short_name_of(graph, number):
    """A tensor's number and name, for use within a sentence; ``graph`` is a Subgraph."""
    return f"tensor {number} ({graph.tensors[number].short_name})"


def check_ends(model):
    """Refuse a Model whose inputs or outputs are missing or not among its tensors."""
    for role, numbers in (("inputs", model.inputs), ("outputs", model.outputs)):
        if not numbers:
            raise InputError(f"A network must have at least one of its {role}, not 0")
        for number in numbers:
            _check_number(model, f"{role.capitalize()} of the network", number)
    if len(set(model.inputs)) != len(model.inputs):
        raise InputError(f"Inputs of the network must be different tensors, "
                         f"not {_list(model.inputs)}")
    if not model.operators:
        raise InputError("A network must have at least one operator, not 0")
    for number in model.outputs:
        if model.tensors[number].type == TENSOR_TYPE.RESOURCE:
            raise InputError(f"The output {short_name_of(model, number)} must not be of RESOURCE, "
                             f"which has no elements")
    for number in model.inputs:
        tensor = model.tensors[number]
        if tensor.data is not None or tensor.is_variable:
            raise InputError(f"The input {short_name_of(model, number)} must not be a constant "
                             f"or a state")


def check_signature(graph, number):
    """Refuse an operator with wrong options or tensor counts, or with missing tensors."""
    subject, operator = name_of(graph, number), graph.operators[number]
    signature = SIGNATURES[operator.name]
    if type(operator.options) is not (signature.options or type(None)):
        wanted = signature.options.__name__ if signature.options else "no options"
        given  = type(operator.options).__name__ if operator.options else "none"
        raise InputError(f"{subject} must have {wanted}, not {given}")
    _check_counts(subject, operator, signature)
    for operand, each in _operands(operator, signature):
        if each != ABSENT or not operand.optional:
            if each == ABSENT:
                raise InputError(f"{subject} must have its {operand.name}")
            _check_number(graph, f"{subject}: its {operand.name}", each)


def check_operands(graph, number, tensors):
    """Refuse tensors whose kind an operator does not accept or produce.

    ``tensors`` are the Subgraph's tensors, with the data of derived constants. Golden layers check
    the relations between shapes, scales and options.
    """
    subject, operator = name_of(graph, number), graph.operators[number]
    for operand, each in _operands(operator, SIGNATURES[operator.name]):
        if each == ABSENT:
            continue
        if operand.absent:
            raise InputError(f"{subject} must go without {operand.name}, "
                             f"not take {short_name_of(graph, each)}")
        _check_operand(f"{subject}: its {operand.name}", operand, short_name_of(graph, each),
                       tensors[each])


def _operands(operator, signature):
    """Yield (Operand, tensor number) for every input and output."""
    for place, number in enumerate(operator.inputs):
        yield signature.inputs[min(place, len(signature.inputs) - 1)], number
    for number in operator.outputs:
        yield signature.output, number


def _check_counts(subject, operator, signature):
    most  = len(signature.inputs)
    least = max((place + 1 for place, operand in enumerate(signature.inputs)
                 if not operand.optional), default=0)
    if operator.name == "UNIDIRECTIONAL_SEQUENCE_LSTM":  # absent inputs count too
        least = most
    count = len(operator.inputs)
    if count < least or (count > most and not signature.many_inputs):
        wanted = (f"at least {plural(least, 'input')}" if signature.many_inputs else
                  plural(least, 'input') if least == most else f"{least} to {most} inputs")
        raise InputError(f"{subject} must have {wanted}, not {count}")
    count = len(operator.outputs)
    if signature.output is None:
        if count:
            raise InputError(f"{subject} must have no output, not {count}")
    elif not count or (count > 1 and not signature.many_outputs):
        raise InputError(f"{subject} must have {'at least ' * signature.many_outputs}1 output, "
                         f"not {count}")


def _check_operand(subject, operand, name, tensor):
    if tensor.type not in operand.types:
        wanted = " or ".join(each.name for each in operand.types)
        raise InputError(f"{subject}, {name}, must be of {wanted}, not {tensor.type.name}")
    if operand.constant and tensor.data is None:
        raise InputError(f"{subject}, {name}, must be a constant")
    if operand.variable != tensor.is_variable:
        negation = "" if operand.variable else "not "
        raise InputError(f"{subject}, {name}, must {negation}be a state")
    # Operands with a scale per channel are weights; constants of 32 and 64 bits are biases.
    check_tensor(name, tensor, infinite=tensor.data is not None and (
        operand.scales == Scales.CHANNELS or (operand.constant and tensor.type in _BIASES)))
    if operand.scales == Scales.CHANNELS:
        check_channels(name, tensor)
    count = len(tensor.scales)
    if operand.scales != Scales.ANY and tensor.type in _SCALED and (
            not count or (operand.scales == Scales.ONE and count != 1)):
        wanted = "1 scale" if operand.scales == Scales.ONE else "at least 1 scale"
        raise InputError(f"{subject}, {name}, must have {wanted}, not {count}")


def check_order(graph):
    """Refuse tensors that are read before they are written, never written, or written twice."""
    writers = {number: place for place, operator in reversed([*enumerate(graph.operators)])
               for number in operator.outputs}
    ready   = {*graph.inputs} | {number for number, tensor in enumerate(graph.tensors)
                                 if tensor.data is not None or tensor.is_variable}
    for place, operator in enumerate(graph.operators):
        subject = name_of(graph, place)
        for number in operator.inputs:
            if number != ABSENT and number not in ready:
                _refuse_read(graph, subject, number, writers)
        for number in operator.outputs:
            if number in ready:
                raise InputError(f"{subject} must not write {short_name_of(graph, number)}, "
                                 f"{_holder(graph, number, writers)}")
            ready.add(number)
    for number in graph.outputs:
        if number not in ready or graph.tensors[number].is_variable:
            raise InputError(f"The output {short_name_of(graph, number)} must be written by an "
                             f"operator")


def _refuse_read(graph, subject, number, writers):
    if number in writers:
        raise InputError(f"{subject} must come after operator {writers[number]} "
                         f"({graph.operators[writers[number]].name}), which writes its input "
                         f"{short_name_of(graph, number)}")
    raise InputError(f"{subject} reads {short_name_of(graph, number)}, which no operator writes")


def _holder(graph, number, writers):
    """Origin of a tensor that operators must not write, as a phrase."""
    if number in graph.inputs:
        return "an input of the network"
    if graph.tensors[number].data is not None:
        return "a constant"
    if graph.tensors[number].is_variable:
        return "a state"
    return f"which operator {writers[number]} writes"


def _check_number(graph, subject, number):
    if not 0 <= number < len(graph.tensors):
        raise InputError(f"{subject} must be one of tensors 0 to {len(graph.tensors) - 1}, "
                         f"not {number}")


def _list(numbers):
    return ", ".join(map(str, numbers[:20]))
