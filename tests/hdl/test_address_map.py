# SPDX-License-Identifier: Apache-2.0
"""The address map: declared once, without overlap, and alike in hardware, headers and drivers."""

from itertools import combinations, pairwise

import pytest

from xymac.boards.header import python_header
from xymac.hdl.config import CORES, SIZES
from xymac.hdl.isa import REGIONS, REGISTERS, Control, Region, Register


def sizes_of(config):
    return {name: getattr(config, name) for name in ("ways", "x_rows", "y_rows", "passes")}


@pytest.mark.parametrize("register", Register)
def test_fields_lie_in_their_register_without_overlap(register):
    fields = REGISTERS[register].fields
    masks  = [(1 << field.width) - 1 << field.offset for field in fields]

    assert len({field.name for field in fields}) == len(fields)
    assert all(0 < mask < 1 << 32 for mask in masks)
    assert not any(one & other for one, other in combinations(masks, 2))
    assert register.value % 4 == 0


@pytest.mark.parametrize("register", Register)
def test_a_register_packs_what_it_unpacks(register):
    layout = REGISTERS[register]
    word   = sum(0x5A5A_5A5A & (1 << field.width) - 1 << field.offset for field in layout.fields)

    assert layout.pack(**layout.unpack(word)) == word
    field = layout.fields[-1]
    with pytest.raises(ValueError, match=rf"^{field.name} must be between 0 and "
                                         rf"{(1 << field.width) - 1}, not {1 << field.width}$"):
        layout.pack(**{field.name: 1 << field.width})
    with pytest.raises(KeyError):
        layout.pack(other=1)


@pytest.mark.parametrize("config", CORES.values(), ids=CORES)
def test_regions_do_not_overlap(config):
    ends = [(layout.offset, layout.offset + layout.size(**sizes_of(config)))
            for layout in REGIONS.values()]

    assert ends == sorted(ends)
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))
    assert REGIONS[Region.X].size(**sizes_of(config)) == config.x_bytes
    assert REGIONS[Region.Y].size(**sizes_of(config)) == config.y_bytes


def test_commands_are_the_bits_of_control():
    layout = REGISTERS[Register.CONTROL]

    assert {field.name: 1 << field.offset for field in layout.fields} == {
        command.name.lower(): command.value for command in Control}


def test_the_header_has_every_field():
    module = {}
    exec(python_header(), module)

    for config in SIZES.values():
        words = config.capabilities.words()
        for register, layout in REGISTERS.items():
            assert module[f"REGISTER_{register.name}"] == layout.offset == register.value
            for name, value in layout.unpack(words.get(register.value, 0)).items():
                field = f"{register.name}_{name.upper()}"
                if f"{field}_AT" in module:
                    word = words.get(register.value, 0)
                    assert word >> module[f"{field}_AT"] & module[f"{field}_MASK"] == value
                else:
                    assert len(layout.fields) == 1
