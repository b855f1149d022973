# SPDX-License-Identifier: Apache-2.0
"""Cases written to files: as reference vectors and for $readmemh."""

import contextlib
import re

import numpy as np
import pytest

from tests.support.licence import is_licensed
from xymac import golden
from xymac.hdl.config import TINY
from xymac.host import MachineDevice, run_layer
from xymac.host.errors import InputError
from xymac.host.kit.accumulate import SUMMING
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.moved import MOVES, RECURRENT
from xymac.host.kit.operations import DIALECTS, OPERATIONS
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.write.columns import columns_of
from xymac.host.kit.write.readmemh import DEVICE, write_readmemh
from xymac.host.kit.write.vectors import write_vectors
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import read_cases


def draw(operation, dialect, kind="int8", count=6, **limits):
    """Cases; of xs3 those that vectors have a field for."""
    limits |= {"low": (-128, -32768)} if dialect == "xs3" else {}
    return generate(Supports(operation, dialect, kind, limits), count).cases


def draw_all(dialect):
    """A few cases of every operation and type of a dialect."""
    for kind in set(DIALECTS[dialect]) - {"uint8"}:  # which no library function has here
        for operation in set(OPERATIONS) - {"requantise", "network", *SUMMING, *MOVES,
                                             *RECURRENT}:
            with contextlib.suppress(InputError):  # of what there is no such kernel for
                yield from draw(operation, dialect, kind, 3)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_vectors_are_read_back_as_they_were_written(dialect, tmp_path):
    cases = list(draw_all(dialect))

    write_vectors(tmp_path, cases)
    report = check_cases(read_cases(tmp_path), golden.run)

    assert len(cases) >= (18 if dialect == "xs3" else 70)
    assert (report.passed, report.failed, report.skipped) == (len(cases), 0, 0)


def test_vectors_run_on_the_machine(tmp_path):
    write_vectors(tmp_path, draw("conv2d", "tflm", channels=(1, 3), outputs=(4,), height=(5,)))

    with MachineDevice(TINY) as device:
        report = check_cases(read_cases(tmp_path),
                             lambda layer, *inputs: run_layer(device, layer, *inputs))

    assert (report.passed, report.failed, report.skipped) == (6, 0, 0)


def test_a_folder_with_vectors_is_not_written_again(tmp_path):
    write_vectors(tmp_path, draw("relu", "tflm"))

    with pytest.raises(InputError, match=r"has an index\.json already"):
        write_vectors(tmp_path, draw("relu", "tflm"))


def test_what_no_function_computes_is_refused(tmp_path):
    with pytest.raises(InputError, match="No function of a library is requantise alone"):
        write_vectors(tmp_path, draw("requantise", "tflm"))


@pytest.mark.parametrize(("operation", "dialect", "kind"), [
    ("slice", "tflm", "int16"), ("concatenate", "mli-2", "sa8"), ("lstm", "tflm", "int8"),
    ("rnn", "mli-1", "fx8w16d"), ("gru", "mli-2", "sa8"), ("add", "mli-2", "fx16")])
def test_what_is_no_vector_is_written_for_readmemh(operation, dialect, kind, tmp_path):
    cases = draw(operation, dialect, kind)

    if operation in (*MOVES, *RECURRENT):
        with pytest.raises(InputError, match=f"Cases of {operation} are written with --readmemh "
                                             "or --cocotb alone"):
            write_vectors(tmp_path, cases)
    columns = columns_of(cases)

    for row, case in zip(columns.rows, cases, strict=True):
        field = dict(zip(columns.names, row.tolist(), strict=True))
        for name, value in case.operands.items():
            assert (name in field) is (name not in columns.arrays), name
            if name in field:
                assert field[name] == value
                continue
            first = field[f"{name}_first"]
            held  = columns.arrays[name][first:first + field[f"{name}_count"]]
            assert np.array_equal(held, np.ravel(value)), name


def test_a_number_or_a_list_is_always_a_list():
    """Of a cell, weights have one scale or one for every gate."""
    cases   = draw("lstm", "mli-2", "sa8", 12)
    columns = columns_of(cases)

    assert len({np.ndim(case.operands["weights_in_scale"]) for case in cases}) == 2
    for row, case in zip(columns.rows, cases, strict=True):
        field = dict(zip(columns.names, row.tolist(), strict=True))
        first = field["weights_in_scale_first"]
        held  = columns.arrays["weights_in_scale"][first:first + field["weights_in_scale_count"]]
        assert held.tolist() == np.ravel(case.operands["weights_in_scale"]).tolist()
        assert "weights_in_scale" not in field


@pytest.mark.parametrize("dialect", DIALECTS)
def test_rows_lead_back_to_every_operand(dialect):
    cases   = draw("conv2d", dialect, DIALECTS[dialect][0])
    columns = columns_of(cases)

    for row, case in zip(columns.rows, cases, strict=True):
        field = dict(zip(columns.names, row.tolist(), strict=True))
        for name, array in (("x", case.operands["x"]), ("expected", case.expected())):
            first = field[f"{name}_first"]
            held  = columns.arrays[name][first:first + field[f"{name}_count"]]
            assert np.array_equal(held, array.ravel())
            assert [field[f"{name}_size_{axis}"] for axis in range(array.ndim)] == list(array.shape)
        assert (field["stride_rows"], field["stride_columns"]) == case.operands["stride"]


def test_cases_of_two_operations_are_refused(tmp_path):
    with pytest.raises(InputError, match="one operation, dialect and type, not 2"):
        write_readmemh(tmp_path, [*draw("relu", "tflm"), *draw("add", "tflm")])


def test_files_hold_a_number_a_line(tmp_path):
    cases = draw("fully_connected", "tflm")

    write_readmemh(tmp_path, cases)

    lines = (tmp_path / "expected.hex").read_text().split()
    assert lines == [f"{int(value) & 0xFF:02x}" for case in cases for value in case.expected().flat]
    bench = (tmp_path / "bench.sv").read_text()
    assert is_licensed(bench)
    for name in re.findall(r'readmemh\("([\w.]+)"', bench):
        assert (tmp_path / name).is_file()


@pytest.mark.parametrize(("operation", "unsigned"), [
    ("conv2d", {"x", "weights", "expected"}), ("requantise", {"expected"}),
    ("add", {"x", "z", "expected"})])
def test_a_bench_reads_uint8_without_a_sign(operation, unsigned, tmp_path):
    write_readmemh(tmp_path, draw(operation, "tflm", "uint8"))

    bench = (tmp_path / "bench.sv").read_text()
    signs = {name: sign for sign, name in re.findall(r"logic (signed )?\[\d+:0\] (\w+) \[", bench)}
    assert {name for name, sign in signs.items() if not sign} == {*unsigned, "result"}
    assert "cases" in signs


def test_the_device_of_a_user_stays(tmp_path):
    (tmp_path / DEVICE).write_text("mine")

    write_readmemh(tmp_path, draw("relu", "tflm"))

    assert (tmp_path / DEVICE).read_text() == "mine"
