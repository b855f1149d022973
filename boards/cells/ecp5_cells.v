// SPDX-License-Identifier: Apache-2.0
// Block RAM and multiplier of the ECP5: yosys comes with no more than their ports.
// What is not modelled is an error: a parameter or port that is not declared here, and a value of a
// parameter, when the netlist is read; a value of a port while it runs.

// Memory of two ports of 1 to 18 bits; or of 36 bits that A writes and B reads, or reads in parts.
// An element of 1, 2 or 4 bits lies in the lower 8 bits of a byte of 9; the lowest address bits of
// a port of 18 or 36 bits are byte enables of a write. Only A writes. What B reads while A writes it
// is undefined: here the complement of what was there. Both have one clock, or B has none.
// Source: Lattice FPGA-TN-02204; yosys, techlibs/lattice/brams_16kd.txt and brams_map_16kd.v.
module DP16KD (
  input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
      DIA4, DIA3, DIA2, DIA1, DIA0,
  input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
      DOA4, DOA3, DOA2, DOA1, DOA0,
  input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
      DIB4, DIB3, DIB2, DIB1, DIB0,
  input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
      DOB4, DOB3, DOB2, DOB1, DOB0
);
  parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
  parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", GSR = "ENABLED";
  parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000", CLKAMUX = "CLKA", CLKBMUX = "CLKB";
  parameter [319:0] INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0;
  parameter [319:0] INITVAL_04 = 0, INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0;
  parameter [319:0] INITVAL_08 = 0, INITVAL_09 = 0, INITVAL_0A = 0, INITVAL_0B = 0;
  parameter [319:0] INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0, INITVAL_0F = 0;
  parameter [319:0] INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0;
  parameter [319:0] INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0;
  parameter [319:0] INITVAL_18 = 0, INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0;
  parameter [319:0] INITVAL_1C = 0, INITVAL_1D = 0, INITVAL_1E = 0, INITVAL_1F = 0;
  parameter [319:0] INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0, INITVAL_23 = 0;
  parameter [319:0] INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0;
  parameter [319:0] INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0;
  parameter [319:0] INITVAL_2C = 0, INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0;
  parameter [319:0] INITVAL_30 = 0, INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0;
  parameter [319:0] INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0, INITVAL_37 = 0;
  parameter [319:0] INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0;
  parameter [319:0] INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0;
  localparam [20479:0] INIT = {
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
      INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
      INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
      INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
      INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
      INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
      INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
      INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
      INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01,
      INITVAL_00};
  localparam WIDE = DATA_WIDTH_A == 36;

  function known(input integer width);
    known = width == 1 || width == 2 || width == 4 || width == 9 || width == 18;
  endfunction

  generate
    if (!(WIDE || known(DATA_WIDTH_A)) || !(WIDE && DATA_WIDTH_B == 36 || known(DATA_WIDTH_B)))
      DP16KD_has_no_model_of_this_DATA_WIDTH stop();
    if (WRITEMODE_A != "NORMAL" && WRITEMODE_A != "WRITETHROUGH"
        && WRITEMODE_A != "READBEFOREWRITE")
      DP16KD_has_no_model_of_this_WRITEMODE stop();
    if (REGMODE_A != "NOREG" && (WIDE || REGMODE_A != "OUTREG")
        || REGMODE_B != "NOREG" && (WIDE || REGMODE_B != "OUTREG"))
      DP16KD_has_no_model_of_this_REGMODE stop();
    if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000")
      DP16KD_has_no_model_of_this_CSDECODE stop();
    if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") DP16KD_has_no_model_of_this_CLKMUX stop();
    if (GSR != "DISABLED") DP16KD_has_no_model_of_this_GSR stop();
  endgenerate

  // Where an element begins in its 36 bits.
  function [5:0] first(input integer width, input [4:0] address);
    case (width)
      1:       first = 9 * address[4:3] + address[2:0];
      2:       first = 9 * address[4:3] + 2 * address[2:1];
      4:       first = 9 * address[4:3] + 4 * address[2];
      9:       first = 9 * address[4:3];
      18:      first = 18 * address[4];
      default: first = 0;
    endcase
  endfunction

  function [35:0] ones(input integer width);
    ones = ~(~36'b0 << width);
  endfunction

  // Which bits of an element a write changes.
  function [35:0] enabled(input integer width, input [3:0] address);
    case (width)
      18:      enabled = {{9{address[1]}}, {9{address[0]}}};
      36:      enabled = {{9{address[3]}}, {9{address[2]}}, {9{address[1]}}, {9{address[0]}}};
      default: enabled = ones(width);
    endcase
  endfunction

  reg [35:0] memory [0:511];
  reg [35:0] out_a = 0, out_b = 0;
  reg [35:0] kept_a = 0, kept_b = 0;  // a cycle later, where there are output registers

  integer i;
  initial
    for (i = 0; i < 512; i = i + 1)
      memory[i] = {INIT[40 * i + 20 +: 18], INIT[40 * i +: 18]};

  wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2,
      ADA1, ADA0};
  wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2,
      ADB1, ADB0};
  wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7,
      DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7,
      DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};

  wire [5:0]  first_a = first(DATA_WIDTH_A, ad_a[4:0]), first_b = first(DATA_WIDTH_B, ad_b[4:0]);
  wire [35:0] old_a   = memory[ad_a[13:5]];
  wire [35:0] change  = CEA & WEA ? enabled(DATA_WIDTH_A, ad_a[3:0]) << first_a : 0;
  wire [35:0] new_a   = old_a & ~change | ({WIDE ? di_b : 18'b0, di_a} << first_a) & change;
  wire [35:0] clash   = ad_a[13:5] == ad_b[13:5] ? change : 0;

  always @(posedge CLKA) begin
    if (CEA & WEA) memory[ad_a[13:5]] <= new_a;
    if (CEA & (!WEA || WRITEMODE_A != "NORMAL"))
      out_a <= (WRITEMODE_A == "WRITETHROUGH" ? new_a : old_a) >> first_a & ones(DATA_WIDTH_A);
  end

  always @(posedge CLKB)
    if (CEB) out_b <= (memory[ad_b[13:5]] ^ clash) >> first_b & ones(DATA_WIDTH_B);

  always @(posedge CLKA) if (OCEA) kept_a <= out_a;
  always @(posedge CLKB) if (OCEB) kept_b <= out_b;
  wire [35:0] shown_a = REGMODE_A == "OUTREG" ? kept_a : out_a;
  wire [35:0] shown_b = REGMODE_B == "OUTREG" ? kept_b : out_b;

  always @*
    if (RSTA | RSTB | CSA2 | CSA1 | CSA0 | CSB2 | CSB1 | CSB0 | (WEB & CEB)) begin
      $display("DP16KD has no model of a reset, a chip select or a write of port B");
      $stop;
    end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
      DOA4, DOA3, DOA2, DOA1, DOA0} =
      DATA_WIDTH_B == 36 ? shown_b[17:0] : shown_a[17:0];
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
      DOB4, DOB3, DOB2, DOB1, DOB0} =
      DATA_WIDTH_B == 36 ? shown_b[35:18] : shown_b[17:0];
endmodule

// Product of two numbers of 18 bits; SIGNEDA and SIGNEDB stand still. A register has CLK0, CE0 and
// the synchronous RST0, which rules over CE0.
// Source: Lattice FPGA-TN-02205; yosys, techlibs/lattice/dsp_map_18x18.v.
module MULT18X18D (
  input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, CLK0, CE0, RST0,
  output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
      P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  parameter REG_INPUTA_CLK = "NONE", REG_INPUTB_CLK = "NONE", REG_OUTPUT_CLK = "NONE";

  function known(input [39:0] clock);
    known = clock == "NONE" || clock == "CLK0";
  endfunction

  generate
    if (!known(REG_INPUTA_CLK) || !known(REG_INPUTB_CLK) || !known(REG_OUTPUT_CLK))
      MULT18X18D_has_no_model_of_this_REG_CLK stop();
  endgenerate

  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1,
      A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1,
      B0};
  reg  [17:0] held_a = 0, held_b = 0;
  reg  [35:0] held_p = 0;
  wire [17:0] used_a = REG_INPUTA_CLK == "NONE" ? a : held_a;
  wire [17:0] used_b = REG_INPUTB_CLK == "NONE" ? b : held_b;
  wire [35:0] p = {{18{SIGNEDA & used_a[17]}}, used_a} * {{18{SIGNEDB & used_b[17]}}, used_b};

  always @(posedge CLK0)
    if (RST0) {held_a, held_b, held_p} <= 0;
    else if (CE0) {held_a, held_b, held_p} <= {a, b, p};

  always @*
    if (SOURCEA | SOURCEB) begin
      $display("MULT18X18D has no model of a chain of operands");
      $stop;
    end

  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19,
      P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} =
      REG_OUTPUT_CLK == "NONE" ? p : held_p;
endmodule
