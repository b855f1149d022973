# SPDX-License-Identifier: Apache-2.0
"""Have NNgen write a convolution and a fully connected layer: ``python generate.py FOLDER``.

It writes ``nngen.v``, whose top module ``nngen`` has what NNgen's own lacks of an AXI4 port, and
``nngen_places.py``: where the tensors of an operation lie in memory.
"""

import re
import sys
from pathlib import Path

import nngen

TOP   = "inner"
#: Names of NNgen's tensors by those of the kit.
NAMES = {
    "conv2d": {"x": "x", "weights": "conv_weights", "bias": "conv_bias", "shift": "conv_shift",
               "y": "y"},
    "fully_connected": {"x": "row", "weights": "dense_weights", "bias": "dense_bias",
                        "shift": "dense_shift", "y": "z"}}


def layers():
    """Outputs and all tensors, by name; values lie in memory, and change from case to case."""
    x     = nngen.placeholder(nngen.int8, (1, 5, 5, 4), name="x")
    row   = nngen.placeholder(nngen.int8, (1, 16), name="row")
    parts = {"x": x, "row": row}
    for name, shape in (("conv", (4, 3, 3, 4)), ("dense", (16, 16))):
        parts |= {f"{name}_weights": nngen.variable(nngen.int8, shape, name=f"{name}_weights"),
                  f"{name}_bias":    nngen.variable(nngen.int32, shape[:1], name=f"{name}_bias"),
                  f"{name}_shift":   nngen.variable(nngen.int8, shape[:1], name=f"{name}_shift")}
    def fields(name):
        return {"bias": parts[f"{name}_bias"], "rshift_out": parts[f"{name}_shift"],
                "dtype": nngen.int8, "sum_dtype": nngen.int32}

    outputs = [nngen.conv2d(x, parts["conv_weights"], (1, 1, 1, 1), padding="VALID", name="y",
                            **fields("conv")),
               nngen.matmul(row, parts["dense_weights"], transposed_b=True, name="z",
                            **fields("dense"))]
    return outputs, parts | {"y": outputs[0], "z": outputs[1]}


def wrap(text):
    """A module around that of NNgen, with the IDs that an AXI4 port has."""
    head  = text[text.index(f"module {TOP}\n"):].split(");")[0]
    ports = re.findall(r"(input|output)(?: reg)? (\[[^\]]*\] )?(\w+)", head)
    lines = [f"    {way} {width}{name}" for way, width, name in ports]
    lines += [f"    {way} maxi_{name}id" for way, name in (
        ("output", "aw"), ("input", "b"), ("output", "ar"), ("input", "r"))]
    joins = ",\n".join(f"        .{name}({name})" for _, _, name in ports)
    lines = ",\n".join(lines)
    return (f"module nngen (\n{lines}\n);\n    assign maxi_awid = 0;\n"
            f"    assign maxi_arid = 0;\n    {TOP} unit (\n{joins}\n    );\nendmodule\n")


def main(folder):
    """Write both files to ``folder``."""
    outputs, tensors = layers()
    module = nngen.to_veriloggen(outputs, TOP, silent=True, config={"maxi_datawidth": 32})
    text   = module.to_verilog()
    (folder / "nngen.v").write_text(text + wrap(text))
    places = {operation: {name: tensors[inner].addr for name, inner in names.items()}
              for operation, names in NAMES.items()}
    (folder / "nngen_places.py").write_text(f"PLACES = {places}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
