// The second shift lacks its rounding.
module cut_shift (
    input  signed [31:0] acc,
    input  signed [31:0] multiplier,
    input         [4:0]  shift,
    input  signed [7:0]  zero,
    input  signed [7:0]  low,
    input  signed [7:0]  high,
    output signed [7:0]  q
);
    wire signed [63:0] product = acc * multiplier;
    wire signed [31:0] scaled  = (product + 64'sd1073741824) >>> 31;
    wire signed [31:0] sum     = (scaled >>> shift) + zero;
    assign q = sum < low ? low : sum > high ? high : sum[7:0];
endmodule
