# SPDX-License-Identifier: Apache-2.0
"""Reference vector tables: checks, supported kernels, cases in which the C reference wraps."""

import re
from collections import Counter

import numpy as np

from xymac.host.vectors.files import read_cases

from .command import printed_table
from .documents import ROOT, read_tables
from .table import markdown

__all__ = ["DIALECTS", "GROUPS", "all_cases", "checks", "group_of", "rtl_checks", "supported",
           "wrapped"]

FOLDER   = ROOT / "tests/vectors"
DIALECTS = {"mli-1": "", "mli-2": "mli2", "xs3": "xs3", "tflm": "tflm"}  #: The folder of each.
_NAMES   = {"mli-1": "MLI 1.x", "mli-2": "MLI 2.0", "xs3": "lib_nn", "tflm": "TensorFlow Lite"}
_GATES   = ("mli-1", "mli-2", "xs3", "tflm")  #: Of these every function runs on the netlist, too.

#: Groups of kernels by a pattern that the function of a kernel, in small letters, matches.
GROUPS = {
    "convolution":         r"conv2d|conv_2d|transpose_conv",
    "fully connected":     r"fully_connected|fc_deepin|matmul",
    "recurrent":           r"_cell|rnn_dense|_lstm$|svdf",
    "pooling":             r"pool|^mean$|^sum$|^reduce_|^cumsum$",
    "activation, table":   r"relu|sigm|tanh|^lookup|logistic|hard_swish|"
                           r"^(abs|elu|r?sqrt|exp|log|gelu)$",
    "softmax, normalise":  r"softmax|l2_normali",
    "argmax":              r"argmax|^arg_",
    "elementwise":         r"eltwise|elementwise|^(add|sub|mul|maximum|minimum|div|add_n)$|"
                           r"equal|^greater$|^less$|difference|^logical_",
    "move, join, cut":     r"permute|pad|concat|subtensor|transpose$|split|slice|reshape|"
                           r"resize|pack|expand_dims|squeeze|gather|embedding|batch_to|"
                           r"to_batch|depth_to|to_depth|broadcast|fill|reverse|zeros|cast$|"
                           r"update|select|^tile$",
    "convert, requantise": r"convert|quantize|output_transform",
}


def all_cases():
    """Cases by dialect: ``{dialect: [Case]}``."""
    return {dialect: [case for case in read_cases(FOLDER / folder) if case.dialect == dialect]
            for dialect, folder in DIALECTS.items()}


def checks(dialect):
    """Checks passed in RTL by kernel and type, as ``xymac check`` prints them."""
    return printed_table("check", FOLDER / DIALECTS[dialect], "--dialect", dialect,
                         "--backend", "rtl")


def rtl_checks(dialect):
    """``{function: (passed, checks)}``, from the documents' table ``check``."""
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")]
                      for line in read_tables()[f"check {dialect}"])
    return {row[0] if kind == "any type" else f"{row[0]}_{kind}":
            tuple(map(int, cell.split(" of ")))
            for row in rows for kind, cell in zip(head[1:], row[1:], strict=True) if cell}


def group_of(function):
    """A function's group; ValueError unless exactly one pattern matches."""
    groups = [group for group, pattern in GROUPS.items() if re.search(pattern, function.lower())]
    if len(groups) != 1:
        raise ValueError(f"{function} must be in one group, not in {groups}")
    return groups[0]


def supported():
    """Checks by group and library: on golden, in RTL, and functions on the netlist."""
    counts = Counter()
    for dialect, cases in all_cases().items():
        for case in cases:
            counts[dialect, group_of(case.function), "golden"] += len(case.expected)
        for function in {case.function for case in cases} if dialect in _GATES else ():
            counts[dialect, group_of(function), "gates"] += 1
        for function, (passed, _) in rtl_checks(dialect).items():
            counts[dialect, group_of(function), "rtl"] += passed
    return markdown(("kernels", *_NAMES.values()), [
        (group, *(_cell(*(counts[dialect, group, way] for way in ("golden", "rtl", "gates")))
                  for dialect in DIALECTS))
        for group in GROUPS])


def _cell(golden, rtl, gates):
    return " · ".join(f"{count:,}" for count in (golden, rtl, gates) if count) or "none"


def wrapped():
    """lib_nn cases whose expected output differs from the C reference.

    The files also hold the unchanged reference's results.
    """
    total, differ, files = Counter(), Counter(), {}
    for case in all_cases()["xs3"]:
        [outputs] = case.expected.values()
        if case.path not in files:
            files[case.path] = np.load(case.path)
        expected  = files[case.path][outputs["Y"]]
        reference = files[case.path][outputs["Y"].removesuffix("_model")]
        total[case.function]  += 1
        differ[case.function] += not np.array_equal(reference, expected)
    rows = [(f"`{name}`", f"{count} of {total[name]}") for name, count in differ.items() if count]
    return markdown(("kernel", "cases in which the C reference wraps"),
                    [*rows, ("all", f"{differ.total()} of {total.total()}")])
