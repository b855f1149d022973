// SPDX-License-Identifier: Apache-2.0
// How synthesis maps gates for the ECP5: a choice of one of four are two look-up tables and the
// multiplexer of their slice.
(* techmap_celltype = "$_MUX4_" *)
module choice_of_four(input A, B, C, D, S, T, output Y);
    wire low, high;
    LUT4 #(.INIT(16'hCACA)) lower(.A(A), .B(B), .C(S), .D(1'b0), .Z(low));
    LUT4 #(.INIT(16'hCACA)) upper(.A(C), .B(D), .C(S), .D(1'b0), .Z(high));
    PFUMX choice(.BLUT(low), .ALUT(high), .C0(T), .Z(Y));
endmodule
