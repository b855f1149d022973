# SPDX-License-Identifier: Apache-2.0
"""Fields of options are those of the schema, in its order."""

from dataclasses import fields

import pytest
import tflite

from xymac.host.tflite import options
from xymac.host.tflite.fields import TEXT, Numbers


def schema_fields(name):
    """Names of the fields of a table, out of the class that was made of the schema."""
    known = [each for each in vars(getattr(tflite, name))
             if not each.startswith(("_", "GetRootAs", name)) and each != "Init"]
    return [each for each in known if not each.endswith(("AsNumpy", "Length", "IsNone"))]


def is_deprecated(field):
    """Whether a field only keeps its place: the schema's class does not read it."""
    return field.name.startswith("deprecated_")


@pytest.mark.parametrize("name", options.__all__)
def test_options_have_the_fields_of_the_schema(name):
    ours = ["".join(word.capitalize() for word in field.name.split("_"))
            for field in fields(getattr(options, name)) if not is_deprecated(field)]

    assert ours == schema_fields(name)


@pytest.mark.parametrize("name", options.__all__)
def test_options_are_at_their_defaults_where_the_schema_says_so(name):
    empty = getattr(tflite, name)()
    empty.Init(b"\4\0\4\0" + (4).to_bytes(4, "little"), 4)

    for field in fields(getattr(options, name)):
        read = "".join(word.capitalize() for word in field.name.split("_"))
        # Numbers and texts are what a table cannot leave out with a default.
        if not isinstance(field.type, Numbers | type(TEXT)) and not is_deprecated(field):
            assert getattr(empty, read)() == field.default, field.name
