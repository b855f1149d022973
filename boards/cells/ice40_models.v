// SPDX-License-Identifier: Apache-2.0
// What the design of a board takes from the iCE40, for a simulator: pads, clock, memory.
// Only what the design uses is modelled; a port or parameter beyond that is an error.

// A pad that is an input (PIN_TYPE 000001) or an output that is always driven (101001), without
// registers, so CLOCK_ENABLE has no effect.
module SB_IO(inout PACKAGE_PIN, input D_OUT_0, OUTPUT_ENABLE, CLOCK_ENABLE, output D_IN_0);
    parameter PIN_TYPE = 6'b000001, PULLUP = 0, IO_STANDARD = "SB_LVCMOS";
    generate
        if (PIN_TYPE == 6'b101001) assign PACKAGE_PIN = D_OUT_0;
        else if (PIN_TYPE != 6'b000001) SB_IO_has_no_model_of_this_PIN_TYPE stop();
    endgenerate
    assign D_IN_0 = PACKAGE_PIN;
endmodule

// The output follows the crystal, whatever the dividers: a cycle of one is a cycle of the other.
module SB_PLL40_PAD(input PACKAGEPIN, RESETB, BYPASS, output PLLOUTGLOBAL, output reg LOCK);
    parameter DIVR = 0, DIVF = 0, DIVQ = 0, FILTER_RANGE = 0;
    parameter FEEDBACK_PATH = "SIMPLE", PLLOUT_SELECT = "GENCLK";
    localparam LOCKING = 100;  // cycles
    reg [6:0] count = 0;
    initial LOCK = 0;
    always @(posedge PACKAGEPIN)
        if (count == LOCKING) LOCK <= 1;
        else count <= count + 1;
    assign PLLOUTGLOBAL = PACKAGEPIN;
endmodule

// Single-port memory; a bit of the mask writes four bits. Source: Lattice FPGA-TN-02022.
module SB_SPRAM256KA(
    input [13:0] ADDRESS, input [15:0] DATAIN, input [3:0] MASKWREN,
    input WREN, CHIPSELECT, CLOCK, STANDBY, SLEEP, POWEROFF, output reg [15:0] DATAOUT);
    reg [15:0] memory [0:16383];
    wire [15:0] mask = {{4{MASKWREN[3]}}, {4{MASKWREN[2]}}, {4{MASKWREN[1]}}, {4{MASKWREN[0]}}};
    always @(posedge CLOCK)
        if (CHIPSELECT) begin
            if (WREN) memory[ADDRESS] <= (memory[ADDRESS] & ~mask) | (DATAIN & mask);
            else DATAOUT <= memory[ADDRESS];
        end
endmodule
