# SPDX-License-Identifier: Apache-2.0
"""The parts that make a program for VexRiscv: compiler, ELF file, limits."""

import importlib.util
import shutil
import struct

import pytest

from tests.support.litex import needs_litex
from xymac.boards.firmware import program
from xymac.boards.firmware.compiler import find_compiler, link_program
from xymac.boards.firmware.elf import read_words
from xymac.boards.firmware.program import make_program
from xymac.boards.litex.system import System, check_litex, export_system
from xymac.host.errors import InputError
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.load import load_model
from xymac.sim.board import soc_command
from xymac.sim.board.soc import soc_system


def elf(*segments, variables=0):
    """An ELF file with segments (kind, address, content), bytes of variables behind each."""
    table, content = b"", b""
    begin = 52 + 32 * len(segments)
    for kind, address, data in segments:
        table += struct.pack("<8I", kind, begin + len(content), 0, address, len(data),
                             len(data) + variables, 5, 4)
        content += data
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 243, 1, 0, 52, 0, 0, 52,
                         32, len(segments), 0, 0, 0)
    return header + table + content


def test_words_of_an_elf_file():
    data = elf((1, 0x1008, b"\1\2\3\4\5"), (1, 0x1000, b"abcd"), (0x6474E551, 0, b"ignored"))

    assert read_words(data, 0x1000) == ([0x64636261, 0, 0x04030201, 5], 13)


def test_variables_take_memory_without_content():
    data = elf((1, 0x1000, b"abcd"), (1, 0x1004, b""), variables=100)

    assert read_words(data, 0x1000) == ([0x64636261], 104)


@pytest.mark.parametrize(("data", "sentence"), [
    (b"\x7fELF\x02\x01 of 64 bits", "must be an ELF file of 32 bits, little-endian"),
    (b"text", "must be an ELF file of 32 bits, little-endian"),
    (elf((1, 0x0FFC, b"abcd")), "must lie from 0x1000 on, not at 0xffc")])
def test_other_files_are_refused(data, sentence):
    with pytest.raises(ValueError, match=f"^The program {sentence}$"):
        read_words(data, 0x1000)


def test_no_compiler_is_told(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(InputError, match=r"^No C compiler for RISC-V found: neither "
                                         r"riscv64-unknown-elf-gcc is on PATH \(Debian: apt install"
                                         r" gcc-riscv64-unknown-elf\) nor the Python package "
                                         r"ziglang installed$"):
        find_compiler()


def test_gcc_is_preferred_with_its_library_for_the_processor(tmp_path, monkeypatch):
    """GCC 12 has a library for rv32im, and takes rv32im_zicsr for a processor without a library."""
    gcc = tmp_path / "riscv64-unknown-elf-gcc"
    gcc.write_text("#!/bin/sh\ncase \"$*\" in *zicsr*) echo wrong.a;; *) echo right.a;; esac\n")
    gcc.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(tmp_path / name))

    assert find_compiler().command[0] == str(gcc)
    assert find_compiler().libraries == ("right.a",)


@pytest.fixture(params=["riscv64-unknown-elf-gcc", "ziglang"])
def compiler(request, monkeypatch):
    """Each compiler that is installed."""
    found = shutil.which if request.param != "ziglang" else lambda name: None
    if found(request.param) is None and importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    monkeypatch.setattr(shutil, "which", found)


def symbols(data):
    """Addresses by name of an ELF file."""
    head   = struct.unpack_from("<16sHHIIIIIHHHHHH", data)
    tables = [struct.unpack_from("<10I", data, head[6] + head[11] * n) for n in range(head[12])]
    [table] = [each for each in tables if each[1] == 2]
    names, found = tables[table[6]][4], {}
    for at in range(table[4], table[4] + table[5], 16):
        name, value = struct.unpack_from("<2I", data, at)
        end = data.index(b"\0", names + name)
        found[data[names + name:end].decode()] = value
    return found


@needs_litex
def test_the_code_of_a_run_lies_in_the_ram_on_chip(compiler, tmp_path):
    network = load_model(soc_command._NETWORK)
    system  = soc_system("tiny,dma=32")
    make_program(network, random_images(network, 1), system, tmp_path)

    place, chip, size = symbols((tmp_path / "program.elf").read_bytes()), *system.region("sram")
    for name in ("time_run", "run", "xymac_external_run", "xymac_finish",
                 "xymac_external_input_at", "xymac_cache_invalidate",
                 "memcpy", "memset", "take_trap", "wait_for_interrupt", "result",
                 "digits_cnn_ranges", "digits_cnn_values"):
        assert chip <= place[name] < chip + size, name
    assert place["_ecode"] - chip <= 4 << 10  # the instruction cache
    assert place["_fbss"] >= place["_fdata_rom"] + place["_edata"] - chip


@needs_litex
def test_many_values_stay_in_main_ram(tmp_path, monkeypatch):
    network = load_model(soc_command._NETWORK)
    system  = soc_system("tiny,dma=32")
    monkeypatch.setattr(program, "_FEW", 1)
    make_program(network, random_images(network, 1), system, tmp_path)

    place = symbols((tmp_path / "program.elf").read_bytes())
    assert place["digits_cnn_ranges"] >= system.region("main_ram")[0]


@needs_litex
def test_an_error_of_the_linker_is_told(compiler, tmp_path):
    (tmp_path / "wrong.c").write_text("void absent(void);\nvoid _start(void) { absent(); }\n")
    (tmp_path / "any.ld").write_text("ENTRY(_start)\n")

    with pytest.raises(InputError, match=r"failed with code 1: .*absent"):
        link_program([tmp_path / "wrong.c"], tmp_path / "any.ld", tmp_path / "wrong.elf")


@needs_litex
def test_an_error_of_the_compiler_is_told(tmp_path):
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n")

    with pytest.raises(InputError, match=r"^\S+ failed with code 1: .*error: .*nothing"):
        link_program([tmp_path / "wrong.c"], tmp_path / "none.ld", tmp_path / "wrong.elf")
    assert not (tmp_path / "wrong.elf").exists()


@needs_litex
def test_a_program_larger_than_main_ram_is_refused(tmp_path, monkeypatch):
    network = load_model(soc_command._NETWORK)
    system  = soc_system("tiny")
    regions = {"main_ram": (0x4000_0000, 32 << 10), "sram": system.region("sram")}
    monkeypatch.setattr(System, "region", lambda self, name: regions[name])

    with pytest.raises(InputError, match=r"^The program takes [0-9,]+ bytes, main RAM has 32,768$"):
        make_program(network, random_images(network, 1), system, tmp_path / "program")


def test_without_litex_a_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(InputError, match=r"^A system with VexRiscv needs the package litex, which "
                                         r"is not installed: `.*` installs it$"):
        check_litex()


@needs_litex
def test_an_error_of_litex_is_told(tmp_path):
    with pytest.raises(InputError, match=r"^LiteX failed: .*Size must be "):
        export_system("simulated", "huge", tmp_path, divisor=10)
