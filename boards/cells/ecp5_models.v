// SPDX-License-Identifier: Apache-2.0
// What the design of a board takes from the ECP5, for a simulator: pads, clock, reset, carries. The
// multiplier is in ecp5_cells.v.
// Only what the design uses is modelled; a port or parameter beyond that is an error.

module IB(input I, output O);
    assign O = I;
endmodule

// T is not modelled: the outputs are always driven.
module OBZ(input I, T, output O);
    assign O = I;
endmodule

// The output follows the crystal, whatever the dividers: a cycle of one is a cycle of the other.
module EHXPLLL(input CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP,
               PHASELOADREG, PLLWAKESYNC, ENCLKOP, output CLKOP, output reg LOCK);
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
    parameter CLKOP_ENABLE = "ENABLED", FEEDBK_PATH = "CLKOP", PLLRST_ENA = "DISABLED";
    parameter INTFB_WAKE = "DISABLED", STDBY_ENABLE = "DISABLED", DPHASE_SOURCE = "DISABLED";
    parameter OUTDIVIDER_MUXA = "DIVA", OUTDIVIDER_MUXB = "DIVB", OUTDIVIDER_MUXC = "DIVC";
    parameter OUTDIVIDER_MUXD = "DIVD";
    localparam LOCKING = 100;  // cycles
    reg [6:0] count = 0;
    initial LOCK = 0;
    always @(posedge CLKI)
        if (count == LOCKING) LOCK <= 1;
        else count <= count + 1;
    assign CLKOP = CLKI;
endmodule

// CE counts at the falling edge, so that no part of a pulse comes through.
module DCCA(input CLKI, CE, output CLKO);
    reg enabled = 0;
    always @(negedge CLKI) enabled <= CE;
    assign CLKO = CLKI & enabled;
endmodule

// GSR resets all registers, those too that have no reset in the design: here the latter take what
// comes to them for some cycles, with all others reset.
module global_reset(input clear, output reset);
    localparam FLUSHING = 127;  // cycles, more than the stages of the core and the pause of the clock
    reg [6:0] left = 0;
    always @(posedge top.crystal)
        if (clear) left <= FLUSHING;
        else if (left != 0) left <= left - 1;
    assign reset = clear | (left != 0);
endmodule

// Two bits of a sum: each look-up table gives the sum bit without the carry. Where that bit is 0,
// the carry is the bit that the first two inputs of the table give alone.
module CCU2C(input CIN, A0, B0, C0, D0, A1, B1, C1, D1, output S0, S1, COUT);
    parameter [15:0] INIT0 = 0, INIT1 = 0;
    parameter INJECT1_0 = "NO", INJECT1_1 = "NO";
    wire sum0 = INIT0[{D0, C0, B0, A0}];
    wire sum1 = INIT1[{D1, C1, B1, A1}];
    wire middle = sum0 ? CIN : INIT0[{2'b00, B0, A0}];
    assign S0 = sum0 ^ CIN;
    assign S1 = sum1 ^ middle;
    assign COUT = sum1 ? middle : INIT1[{2'b00, B1, A1}];
endmodule

// A look-up table of four inputs, and the multiplexer behind the two of a slice.
module LUT4(input A, B, C, D, output Z);
    parameter [15:0] INIT = 0;
    assign Z = INIT[{D, C, B, A}];
endmodule

module PFUMX(input ALUT, BLUT, C0, output Z);
    assign Z = C0 ? ALUT : BLUT;
endmodule
