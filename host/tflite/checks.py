"""Whether a network of a TensorFlow Lite file can be computed, operator after operator."""

from host.errors import InputError

from .codes import TENSOR_TYPE
from .model import ABSENT
from .signatures import SIGNATURES, Scales
from .tensors import check_channels, check_tensor

__all__ = ["check_model"]

#: Types of elements that mean nothing without a scale.
_SCALED = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.UINT8)


def check_model(model):
    """Refuse a Model that cannot be computed in one sentence, an InputError.

    Tensors that no operator takes or gives may be anything, and what an operator's shapes, scales
    and options have to do with each other is not looked at here.
    """
    for what, numbers in (("inputs", model.inputs), ("outputs", model.outputs)):
        if not numbers:
            raise InputError(f"A network must have 1 of its {what} at least, not 0")
        for number in numbers:
            _check_number(model, f"{what.capitalize()} of the network", number)
    if len(set(model.inputs)) != len(model.inputs):
        raise InputError(f"Inputs of the network must be different tensors, "
                         f"not {_list(model.inputs)}")
    if not model.operators:
        raise InputError("A network must have 1 operator at least, not 0")
    for number, operator in enumerate(model.operators):
        _check_operator(model, f"Operator {number} ({operator.name})", operator)
    _check_order(model)


def _check_operator(model, what, operator):
    signature = _signature(what, operator)
    _check_counts(what, operator, signature)
    for place, number in enumerate(operator.inputs):
        operand = signature.inputs[min(place, len(signature.inputs) - 1)]
        if number == ABSENT:
            if not operand.optional:
                raise InputError(f"{what} must have its {operand.name}")
        elif operand.absent:
            raise InputError(f"{what} must go without {operand.name}, "
                             f"not take {_name(model, number)}")
        else:
            _check_operand(model, what, operand, number)
    for number in operator.outputs:
        _check_operand(model, what, signature.output, number)


def _signature(what, operator):
    signature = SIGNATURES.get(operator.name)
    if signature is None:
        raise InputError(f"{what} must be one of {', '.join(SIGNATURES)}")
    if type(operator.options) is not (signature.options or type(None)):
        wanted = signature.options.__name__ if signature.options else "no options"
        given  = type(operator.options).__name__ if operator.options else "none"
        raise InputError(f"{what} must have {wanted}, not {given}")
    return signature


def _check_counts(what, operator, signature):
    most  = len(signature.inputs)
    least = max(place + 1 for place, operand in enumerate(signature.inputs)
                if not operand.optional)
    if operator.name == "UNIDIRECTIONAL_SEQUENCE_LSTM":  # counted, whatever is missing at the end
        least = most
    count = len(operator.inputs)
    if count < least or (count > most and not signature.many_inputs):
        wanted = (f"{least} inputs at least" if signature.many_inputs else
                  f"{least} inputs" if least == most else f"{least} to {most} inputs")
        raise InputError(f"{what} must have {wanted}, not {count}")
    count = len(operator.outputs)
    if not count or (count > 1 and not signature.many_outputs):
        raise InputError(f"{what} must have 1 output{' at least' * signature.many_outputs}, "
                         f"not {count}")


def _check_operand(model, what, operand, number):
    _check_number(model, f"{what}: its {operand.name}", number)
    name, tensor = _name(model, number), model.tensors[number]
    if tensor.type not in operand.types:
        wanted = " or ".join(each.name for each in operand.types)
        raise InputError(f"{what}: its {operand.name}, {name}, must be of {wanted}, "
                         f"not {tensor.type.name}")
    if operand.constant and tensor.data is None:
        raise InputError(f"{what}: its {operand.name}, {name}, must be a constant")
    if operand.variable != tensor.is_variable:
        negation = "" if operand.variable else "not "
        raise InputError(f"{what}: its {operand.name}, {name}, must {negation}be a state")
    check_tensor(name, tensor)
    if operand.scales == Scales.CHANNELS:
        check_channels(name, tensor)
    count = len(tensor.scales)
    if operand.scales != Scales.ANY and tensor.type in _SCALED and (
            not count or (operand.scales == Scales.ONE and count != 1)):
        wanted = "1 scale" if operand.scales == Scales.ONE else "1 scale at least"
        raise InputError(f"{what}: its {operand.name}, {name}, must have {wanted}, not {count}")


def _check_order(model):
    """Refuse tensors that are read before they are written, or never, or written twice."""
    writers = {number: place for place, operator in reversed([*enumerate(model.operators)])
               for number in operator.outputs}
    ready   = {*model.inputs} | {number for number, tensor in enumerate(model.tensors)
                                 if tensor.data is not None or tensor.is_variable}
    for number in model.inputs:
        tensor = model.tensors[number]
        if tensor.data is not None or tensor.is_variable:
            raise InputError(f"The input {_name(model, number)} must not be a constant or a state")
    for place, operator in enumerate(model.operators):
        what = f"Operator {place} ({operator.name})"
        for number in operator.inputs:
            if number != ABSENT and number not in ready:
                _refuse_read(model, what, number, writers)
        for number in operator.outputs:
            if number in ready:
                raise InputError(f"{what} must not write {_name(model, number)}, "
                                 f"{_holder(model, number, writers)}")
            ready.add(number)
    for number in model.outputs:
        if number not in writers:
            raise InputError(f"The output {_name(model, number)} must be written by an operator")


def _refuse_read(model, what, number, writers):
    if number in writers:
        later = writers[number]
        raise InputError(f"{what} must come after operator {later} "
                         f"({model.operators[later].name}), which writes its input "
                         f"{_name(model, number)}")
    raise InputError(f"{what} reads {_name(model, number)}, which no operator writes")


def _holder(model, number, writers):
    """What a tensor is that must not be written, in words."""
    if number in model.inputs:
        return "an input of the network"
    if model.tensors[number].data is not None:
        return "a constant"
    if model.tensors[number].is_variable:
        return "a state"
    return f"which operator {writers[number]} writes"


def _check_number(model, what, number):
    if not 0 <= number < len(model.tensors):
        raise InputError(f"{what} must be one of tensors 0 to {len(model.tensors) - 1}, "
                         f"not {number}")


def _name(model, number):
    return f"tensor {number} ({model.tensors[number].short_name})"


def _list(numbers):
    return ", ".join(map(str, numbers[:20]))
