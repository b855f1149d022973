# SPDX-License-Identifier: Apache-2.0
"""The generated headers encode a pass as xymac.hdl.isa does, without anything of ours."""

import re
import subprocess
from itertools import pairwise

import pytest
from amaranth.lib import enum

from xymac.boards.header import (
    CONSTANTS,
    ENUMS,
    LIST_STATUS_TEXTS,
    STATUS_TEXTS,
    c_header,
    pass_fields,
    python_header,
)
from xymac.hdl import isa
from xymac.hdl.entries import ENTRIES
from xymac.hdl.isa import (
    COUNTERS,
    PASS_WORDS,
    Access,
    AguMode,
    Axis,
    Encoded,
    ListStatus,
    Pass,
    Region,
    Register,
    RoundMode,
    Status,
    Width,
    pack,
    pack_words,
)

PASSES = {
    "plain": Pass(x=Access(0, 0, 9), y=Access(0, 0, 9), z=Access(4, 4, 8), last=True),
    "edges": Pass(
        x=Access(-300, 10, 5000, outer=(-32768, 32767, 7), taps=(-5, 3, -1)),
        y=Access(70, 70, 4000, outer=(1, 2, 3), taps=(-32768, 5, 32767)),
        z=Access(100, 100, 227, mode=AguMode.BIT_REVERSED, outer=(-1, -2, -3)),
        outer=(65535, 2, 3), taps=(1, 65535, 7), rows=Axis(1, 2, 30), cols=Axis(0, 3, 31),
        y_width=Width.BITS16, beats=1, bias_row=777, shift=-16, rounding=RoundMode.UP,
        clip=(-32768, 32767), wait=True),
}


def field_values(packed):
    """Value of every field of an encoded pass, read back by Amaranth."""
    def leaves(name, view, layout):
        for key, member in layout:
            value = view[key]
            path = f"{name}{key}"
            if hasattr(member.shape, "members") or hasattr(member.shape, "elem_shape"):
                yield from leaves(f"{path}.", value, member.shape)
            else:
                yield path, int(getattr(value, "value", value))
    return dict(leaves("", Encoded.from_bits(packed), Encoded))


@pytest.mark.parametrize("name", PASSES)
def test_python_header_packs_like_the_contract(name):
    module = {}
    exec(python_header(), module)

    words = module["pack"](field_values(pack(PASSES[name])))

    assert words == pack_words(PASSES[name])
    assert module["CORE_ENTRIES"] == ENTRIES
    assert module["CORE_PLACES"] == [(table.value, place.first, place.entries, place.offset)
                                     for table, place in isa.PLACES.items()]
    assert module["REGISTER_CYCLES"] == Register.CYCLES.value
    assert module["STATUS_EMPTY"] == Status.EMPTY.value


def test_python_header_refuses_what_does_not_fit():
    module = {}
    exec(python_header(), module)

    with pytest.raises(ValueError, match=r"^shift must be between -64 and 63, not 64$"):
        module["pack"]({"shift": 64})
    with pytest.raises(KeyError, match="shfit"):
        module["pack"]({"shfit": 1})


@pytest.mark.parametrize("name", PASSES)
def test_c_header_packs_like_the_contract(name, tmp_path):
    values = field_values(pack(PASSES[name]))
    calls = "".join(f"xymac_set_field(p, XYMAC_PASS_{field.replace('.', '_').upper()}, {value});\n"
                    for field, value in values.items())
    (tmp_path / "xymac.h").write_text(c_header())
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "xymac.h"\n'
        "int main(void) { uint64_t p[XYMAC_PASS_WORDS]; int i;\n"
        "for (i = 0; i < (int)XYMAC_PASS_WORDS; i++) p[i] = ~UINT64_C(0);\n"
        f"{calls}"
        'for (i = 0; i < (int)XYMAC_PASS_WORDS; i++) printf("%llu\\n", (unsigned long long)p[i]);\n'
        'printf("%u\\n", XYMAC_REGISTER_HOST); return 0; }\n')
    subprocess.run(["g++", "-x", "c", "-Wall", "-Wextra", "-Werror", "main.c", "-o", "main"],
                   cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout

    *words, host = map(int, printed.split())
    used = Encoded.size % 64
    words[-1] &= (1 << used) - 1 if used else -1
    assert words == pack_words(PASSES[name])
    assert host == Register.HOST.value


def test_every_code_in_c_is_that_of_the_contract(tmp_path):
    kinds  = {kind for name in isa.__all__ if isinstance(kind := getattr(isa, name), enum.EnumType)}
    codes  = {f"{upper(kind.__name__)}_{item.name}": item.value for kind in kinds for item in kind}
    codes |= {f"COUNTER_{name.upper()}": index for index, name in enumerate(COUNTERS)} | CONSTANTS
    (tmp_path / "xymac.h").write_text(c_header())
    (tmp_path / "main.c").write_text("\n".join([
        "#include <stdio.h>", '#include "xymac.h"', "int main(void) {",
        *(f'printf("%lld\\n", (long long)XYMAC_{name});' for name in codes), "return 0; }"]))
    subprocess.run(["gcc", "-std=c99", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout

    assert [int(each) for each in printed.split()] == [*codes.values()]
    assert {Region, Register, *ENUMS} == kinds


def upper(name):
    """``AguMode`` as ``AGU_MODE``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


@pytest.mark.parametrize(("kind", "texts"), [
    (Status, STATUS_TEXTS), (ListStatus, LIST_STATUS_TEXTS)])
def test_every_status_has_a_sentence(kind, texts):
    name = f"#define XYMAC_{upper(kind.__name__)}_TEXTS"
    text = c_header().partition(name)[2].partition("\n\n")[0]

    assert re.findall(r'"(.+)"', text) == [texts[item] for item in kind]


def test_fields_cover_the_pass_without_overlap():
    spans = sorted((offset, width) for offset, width, _ in pass_fields().values())

    assert spans[0][0] == 0
    assert all(offset + width == after for (offset, width), (after, _) in pairwise(spans))
    assert sum(spans[-1]) == Encoded.size <= 64 * PASS_WORDS
