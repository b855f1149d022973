# SPDX-License-Identifier: Apache-2.0
"""Layer fields as JSON and arrays, and back."""

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import get_args, get_origin

import numpy as np

from xymac.golden.array import Array
from xymac.host.errors import InputError, translate_refusals

__all__ = ["decode", "decode_fields", "encode", "entry_of", "field_types"]

_ARRAY = "array"  #: Key of an array name.


def encode(value, name, arrays):
    """A field's JSON value; arrays are added to the dict ``arrays`` under ``name``."""
    if isinstance(value, Array):
        arrays[name] = value.data
        return {_ARRAY: name} | {
            field.name: encode(getattr(value, field.name), f"{name}.{field.name}", arrays)
            for field in fields(value) if field.name != "data"}
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, type | np.dtype):
        return np.dtype(value).name
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name), f"{name}.{field.name}", arrays)
                for field in fields(value)}
    if isinstance(value, tuple):
        return [encode(each, f"{name}.{index}", arrays) for index, each in enumerate(value)]
    return value


def entry_of(mapping, key, kind=object):
    """The value under a JSON object's key; InputError if it is missing or has another type."""
    if not isinstance(mapping, dict):
        raise InputError(f"expected an object with the key {key!r}, not {mapping!r}")
    if key not in mapping:
        raise InputError(f"the key {key!r} is missing")
    if not isinstance(mapping[key], kind):
        raise InputError(f"{key!r} must be a {kind.__name__}, not {mapping[key]!r}")
    return mapping[key]


def decode_fields(kind, entry, arrays, array):
    """The dataclass ``kind``'s field values from the JSON object ``entry``, a dict; defaults can be
    missing.

    Parameters
    ----------
    arrays : dict, arrays by the names in the object
    array : the Arrays' class within tuples
    """
    types = field_types(kind)
    return {field.name: decode(field.name, types[field.name], entry_of(entry, field.name), arrays,
                               array)
            for field in fields(kind) if field.name in entry or (
                field.default is MISSING and field.default_factory is MISSING)}


@cache
def field_types(kind):
    """Types of the dataclass ``kind``'s fields by name; a tuple of any elements is ``tuple``."""
    hints = {}
    for base in reversed(kind.__mro__):  # others name types that are imported for checks alone
        if "__dataclass_fields__" in vars(base):
            hints |= get_annotations(base, eval_str=True)
    return {field.name: _without_elements(hints[field.name]) for field in fields(kind)}


def _without_elements(hint):
    return get_origin(hint) if isinstance(get_origin(hint), type) and get_origin(
        hint) is not UnionType else hint


def decode(name, kind, value, arrays, array):
    """A ``kind`` field value from its JSON; see ``decode_fields``."""
    if not isinstance(kind, type):
        return _decode_one_of(name, tuple(map(_without_elements, get_args(kind))), value, arrays,
                              array)
    if issubclass(kind, Array):
        return _decode_array(name, kind, value, arrays)
    if issubclass(kind, Enum):
        return _decode_member(name, kind, value)
    if issubclass(kind, np.dtype):
        with translate_refusals(name, TypeError):
            return np.dtype(value)
    if is_dataclass(kind):
        _check_object(name, kind, value)
        values = decode_fields(kind, value, arrays, array)
        with translate_refusals(name, OverflowError, TypeError, ValueError):
            return kind(**values)
    if kind is tuple and isinstance(value, list):
        return tuple(decode(name, array if _is_array(each) else tuple, each, arrays, array)
                     for each in value)
    return value


def _check_object(name, kind, value):
    """Refuse values other than objects, and unknown keys."""
    if not isinstance(value, dict):
        raise InputError(f"{name} must be an object, not {value!r}")
    known = {field.name for field in fields(kind)}
    for key in value:
        if key not in known:
            raise InputError(f"{name} has no parameter {key!r}")


def _is_array(value):
    return isinstance(value, dict) and _ARRAY in value


def _decode_array(name, kind, value, arrays):
    data   = entry_of(arrays, entry_of(value, _ARRAY, str))
    others = [field for field in fields(kind) if field.name != "data"]
    types  = field_types(kind)
    values = {field.name: decode(field.name, types[field.name], entry_of(value, field.name),
                                 arrays, kind)
              for field in others}
    with translate_refusals(name, TypeError, ValueError):
        return kind(data, **values)


def _decode_member(name, kind, value):
    members = {member.name.lower(): member for member in kind}
    if not isinstance(value, str) or value not in members:
        raise InputError(f"{name} must be one of {', '.join(members)}, not {value!r}")
    return members[value]


def _decode_one_of(name, kinds, value, arrays, array):
    """A field value with several possible types: an object has the first type with all its keys.
    """
    if value is None and NoneType in kinds:
        return None
    if isinstance(value, dict):
        for kind in kinds:
            known = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
            if value.keys() <= known | {_ARRAY}:
                return decode(name, kind, value, arrays, array)
    if isinstance(value, list) and tuple in kinds:
        return tuple(value)
    return value
