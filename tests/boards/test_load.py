# SPDX-License-Identifier: Apache-2.0
"""``xymac load`` with a stand-in for openFPGALoader."""

from argparse import ArgumentParser

import pytest
from rich.console import Console

from xymac.boards.board import find_board
from xymac.boards.commands.load import COMMAND as LOAD
from xymac.boards.firmware.flash import flash_image
from xymac.boards.loading import next_steps
from xymac.host.errors import InputError


@pytest.fixture
def loader(tmp_path, monkeypatch):
    """A stand-in for openFPGALoader; returns the file with its arguments."""
    folder, said = tmp_path / "bin", tmp_path / "said"
    folder.mkdir()
    (folder / "openFPGALoader").write_text(f'#!/bin/sh\necho "$@" > {said}\n[ ! -e {said}.bad ]\n')
    (folder / "openFPGALoader").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    return said


def load(*arguments):
    """Execute ``xymac load``; its exit code."""
    parser = ArgumentParser()
    LOAD.fill(parser)
    return LOAD.run(parser.parse_args(arguments), Console())


@pytest.mark.parametrize("flash", [False, True])
def test_load(flash, loader):
    place = loader.parent / "build/ulx3s-85f/ulx3s-85f.bit"
    place.parent.mkdir(parents=True)
    place.touch()

    assert load("--board", "ulx3s-85f", *["--flash"] * flash) == 0
    assert loader.read_text() == ("--board ulx3s " + "--write-flash " * flash
                                  + "build/ulx3s-85f/ulx3s-85f.bit\n")


def test_a_program_is_written_behind_the_bitstream(loader):
    (loader.parent / "program.fbi").write_bytes(flash_image(b"some program"))

    assert load("--board", "ulx3s-85f", "--program", "program.fbi") == 0
    assert loader.read_text() == ("--board ulx3s --write-flash --offset 0x400000 --file-type raw "
                                  "program.fbi\n")


@pytest.mark.parametrize(("words", "sentence"), [
    ("--board icebreaker --program x.fbi", "A system with a processor is for the boards "),
    ("--board ulx3s-85f --program y.fbi",
     "There is no program y.fbi: `xymac build --board ulx3s-85f --soc --network NET` makes it$"),
    ("--board ulx3s-85f --program x.fbi", "x.fbi is not a flash image: "),
    ("--board ulx3s-85f --program x.fbi --flash", "--program writes a program alone, without a "),
    ("--board ulx3s-85f --program x.fbi x.bit", "--program writes a program alone, without a ")])
def test_what_stops_the_load_of_a_program(words, sentence, loader):
    (loader.parent / "x.fbi").write_bytes(b"a program without a header")

    with pytest.raises(InputError, match=f"^{sentence}"):
        load(*words.split())
    assert not loader.exists()


def test_what_stops_a_load(loader, monkeypatch):
    with pytest.raises(InputError, match=r"^There is no bitstream build/icebreaker/icebreaker.bin: "
                                         r"`xymac build --board icebreaker` makes it$"):
        load("--board", "icebreaker")
    (loader.parent / "x.bin").touch()
    (loader.parent / "said.bad").touch()
    with pytest.raises(InputError, match=r"^openFPGALoader failed with code 1: is the board conn"):
        load("--board", "icebreaker", "x.bin", "--flash")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match=r"^openFPGALoader is not on PATH \(Debian: apt install "
                                         r"openfpgaloader\); it is called as: openFPGALoader "
                                         r"--board ice40_generic --write-flash x\.bin$"):
        load("--board", "icebreaker", "x.bin", "--flash")


#: Boards by their names in doc/boards.yml of openFPGALoader, and whether "Memory" there is NA or of
#: JTAG, which needs a cable.
@pytest.mark.parametrize(("name", "load_name", "sram"), [
    ("ecp5-evn", "ecp5_evn", True), ("icebreaker", "ice40_generic", False),
    ("orangecrab-25f", "orangeCrab", False), ("orangecrab-85f", "orangeCrab", False),
    ("ulx3s-25f", "ulx3s", True), ("ulx3s-85f", "ulx3s", True)])
def test_a_command_is_one_of_the_loader(name, load_name, sram, loader, capsys):
    bitstream = loader.parent / "x.bit"
    bitstream.touch()
    board = find_board(name)
    lines = [*next_steps(board, board.size, bitstream)]

    commands = [line.split() for line in lines if line.startswith("  openFPGALoader")]
    assert [words[:3] for words in commands] == [
        ["openFPGALoader", "--board", load_name]] * (1 + sram)
    assert "--write-flash" in commands[-1]
    assert any("SRAM" in line for line in lines) == sram
    assert load("--board", name, "x.bit", "--flash") == 0
    assert loader.read_text() == f"--board {load_name} --write-flash x.bit\n"
    assert ("hold the button" in capsys.readouterr().out) == (load_name == "orangeCrab")
    if not sram:
        assert f"`xymac load --board {name} --flash` does this" in lines
        with pytest.raises(InputError, match=f"^openFPGALoader writes to the flash of {name} alone,"
                                             f" not to its SRAM: --flash does this$"):
            load("--board", name, "x.bit")
