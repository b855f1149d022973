// SPDX-License-Identifier: Apache-2.0
// Adds two bytes with saturation, a clock later; `quit` ends the simulation.
module adder (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              quit,
    input  wire signed [7:0] a,
    input  wire signed [7:0] b,
    output reg  signed [7:0] q
);
    parameter HIGHEST = 127;
    wire signed [8:0] sum = a + b;
    always @(posedge clk) begin
        q <= !rst_n ? 8'sd0 : sum < -128 ? -8'sd128 : sum > HIGHEST ? HIGHEST : sum[7:0];
        if (quit) $finish;
    end
endmodule
