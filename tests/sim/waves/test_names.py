# SPDX-License-Identifier: Apache-2.0
"""Names in waveforms: what becomes of the names in the dump and in the Verilog."""

import pytest

from xymac.sim.waves.declarations import read_declarations
from xymac.sim.waves.enumerations import read_enumerations
from xymac.sim.waves.names import name_scope
from xymac.sim.waves.plan import make_plan

VERILOG = r"""
module top(clk, \config , rst);
  (* src = "here" *)
  (* enum_base_type = "Color" *)
  (* enum_value_00 = "RED" *)
  (* enum_value_10 = "BLUE" *)
  input [1:0] \config ;
  wire [1:0] plain;
endmodule
(* generator = "Amaranth" *)
module \top.issue.seat$114 (rst, clk);
  (* enum_base_type = "Kind" *)
  (* enum_value_0 = "STEP" *)
  (* enum_value_1 = "BIAS" *)
  reg \step$3.kind = 1'h0;
endmodule
"""

HEADER = """$version x $end
$timescale 1ps $end
 $scope module $rootio $end
  $var wire 1 a clk $end
 $upscope $end
 $scope module harness $end
  $var wire 1 a clk $end
  $scope module core $end
   $var wire 1 q $auto$verilog.cc:1$25 $end
   $var wire 1 b $12 $end
   $var wire 1 c port$6146$0 $end
   $var wire 1 d busy $end
   $var wire 1 e busy$145 $end
   $var wire 1 d busy$149 $end
   $var wire 48 f acc$103 [47:0] $end
   $var wire 48 f acc$86 [47:0] $end
   $var wire 24 g acc$86[1] [23:0] $end
   $var wire 2 h config [1:0] $end
   $var wire 1 a clk $end
   $scope module issue $end
    $var wire 1 i issue $end
    $scope module seat$114 $end
     $var wire 9 j step$3 [8:0] $end
     $var wire 1 k step$3.kind $end
     $var wire 8 l step$3.x.taps[0] [7:0] $end
    $upscope $end
   $upscope $end
  $upscope $end
 $upscope $end
$enddefinitions $end
"""


@pytest.fixture
def core():
    return name_scope(read_declarations(HEADER).find("core"), read_enumerations(VERILOG))


def paths(node, path=()):
    for name, part in node.parts.items():
        if part.code is not None:
            yield "/".join((*path, name)), part.code
        yield from paths(part, (*path, name))


def test_enumerations():
    assert read_enumerations(VERILOG) == {
        "config": {0: "RED", 2: "BLUE"}, "issue/seat$114/step$3.kind": {0: "STEP", 1: "BIAS"}}


def test_names_of_ours_alone_without_numbers(core):
    """The same signal appears once; another signal of the name keeps its number."""
    assert dict(paths(core)) == {
        "busy": "d", "busy_145": "e", "acc": "f", "acc/1": "g", "config": "h",
        "clk": "a", "issue/issue": "i", "issue/seat_114/step": "j",
        "issue/seat_114/step/kind": "k",
        "issue/seat_114/step/x/taps/0": "l"}


def test_values_of_enumerations(core):
    assert core.at("config").values == {0: "RED", 2: "BLUE"}
    assert core.at("issue/seat_114/step/kind").values == {0: "STEP", 1: "BIAS"}
    assert core.at("busy").values == {}


@pytest.mark.parametrize(("depth", "deepest"), [(1, "clk"), (2, "issue/issue"),
                                                (3, "issue/seat_114/step/x/taps/0")])
def test_depth(depth, deepest):
    scope = read_declarations(HEADER).find("core")
    assert list(dict(paths(name_scope(scope, {}, depth))))[-1] == deepest


def test_plan():
    plan, _, guide = make_plan(HEADER, read_enumerations(VERILOG), depth=1)
    assert guide == ["clk"]
    assert plan.splitlines() == [
        "table 2", "0 RED", "2 BLUE", "scope guide", "clock clk", "up", "scope core",
        "bits d 1 busy", "bits e 1 busy_145", "bits f 48 acc", "scope acc", "bits g 24 1", "up",
        "text h 0 config", "clock clk", "up"]
