# SPDX-License-Identifier: Apache-2.0
"""``xymac load`` with a stand-in for openFPGALoader."""

from argparse import ArgumentParser

import pytest
from rich.console import Console

from xymac.boards.commands.load import COMMAND as LOAD
from xymac.boards.firmware.flash import flash_image
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
        load("--board", "icebreaker", "x.bin")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match=r"^openFPGALoader is not on PATH \(Debian: apt install "
                                         r"openfpgaloader\); it is called as: openFPGALoader "
                                         r"--board ice40_generic x\.bin$"):
        load("--board", "icebreaker", "x.bin")
