// SPDX-License-Identifier: Apache-2.0
// What every requantiser takes.
`define OPERANDS                     \
    input signed [31:0] acc,         \
    input signed [31:0] multiplier,  \
    input        [4:0]  shift,       \
    input signed [7:0]  out_zero,    \
    input signed [7:0]  low,         \
    input signed [7:0]  high
