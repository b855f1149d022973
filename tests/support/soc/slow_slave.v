// SPDX-License-Identifier: Apache-2.0
// A slave with the ports of the core that answers when it likes, and SLVERR for ever once the master
// broke a rule of AXI: 4 KiB of words, SLVERR beyond. A write to WORK is answered at once; some time
// later the word REPORT says so, and irq rises, to fall with a write to CLEAR.
`default_nettype none

module xymac_slow (
    input  wire        clk,
    input  wire        rst,
    output reg         irq,
    input  wire        s_axi_awvalid,
    output wire        s_axi_awready,
    input  wire [21:0] s_axi_awaddr,
    input  wire [2:0]  s_axi_awprot,
    input  wire        s_axi_wvalid,
    output wire        s_axi_wready,
    input  wire [31:0] s_axi_wdata,
    input  wire [3:0]  s_axi_wstrb,
    output reg         s_axi_bvalid,
    input  wire        s_axi_bready,
    output wire [1:0]  s_axi_bresp,
    input  wire        s_axi_arvalid,
    output wire        s_axi_arready,
    input  wire [21:0] s_axi_araddr,
    input  wire [2:0]  s_axi_arprot,
    output reg         s_axi_rvalid,
    input  wire        s_axi_rready,
    output reg  [31:0] s_axi_rdata,
    output wire [1:0]  s_axi_rresp
);
    localparam [9:0] WORK = 10'h3FF, CLEAR = 10'h3FE, REPORT = 10'h3FD;

    reg [31:0] words [0:1023];
    reg [15:0] dice;
    reg [5:0]  busy;
    reg        have_aw, have_w, have_ar, broken;
    reg [21:0] awaddr, araddr;
    reg [31:0] wdata;
    reg [3:0]  wstrb;
    integer    index;

    // What was offered and not taken in the cycle before.
    reg        aw_waits, w_waits, ar_waits;
    reg [21:0] aw_was, ar_was;
    reg [35:0] w_was;

    assign s_axi_awready = !have_aw && dice[0];
    assign s_axi_wready  = !have_w && dice[3];
    assign s_axi_arready = !have_ar && dice[5];
    assign s_axi_bresp   = {broken || |awaddr[21:12], 1'b0};
    assign s_axi_rresp   = {broken || |araddr[21:12], 1'b0};

    initial begin
        dice = 16'hACE1;
        for (index = 0; index < 1024; index = index + 1)
            words[index] = 32'd0;
    end

    always @(posedge clk) begin
        dice     <= {dice[14:0], dice[15] ^ dice[13] ^ dice[12] ^ dice[10]};
        aw_waits <= s_axi_awvalid && !s_axi_awready;
        w_waits  <= s_axi_wvalid && !s_axi_wready;
        ar_waits <= s_axi_arvalid && !s_axi_arready;
        aw_was   <= s_axi_awaddr;
        ar_was   <= s_axi_araddr;
        w_was    <= {s_axi_wstrb, s_axi_wdata};
        if (rst) begin
            {have_aw, have_w, have_ar, broken, irq, s_axi_bvalid, s_axi_rvalid} <= 7'd0;
            busy <= 6'd0;
        end else begin
            if ((aw_waits && (!s_axi_awvalid || s_axi_awaddr != aw_was))
                || (w_waits && (!s_axi_wvalid || {s_axi_wstrb, s_axi_wdata} != w_was))
                || (ar_waits && (!s_axi_arvalid || s_axi_araddr != ar_was)))
                broken <= 1'b1;

            if (s_axi_awvalid && s_axi_awready) {have_aw, awaddr} <= {1'b1, s_axi_awaddr};
            if (s_axi_wvalid && s_axi_wready)
                {have_w, wstrb, wdata} <= {1'b1, s_axi_wstrb, s_axi_wdata};
            if (s_axi_arvalid && s_axi_arready) {have_ar, araddr} <= {1'b1, s_axi_araddr};

            if (s_axi_bvalid && s_axi_bready) begin
                s_axi_bvalid <= 1'b0;
                {have_aw, have_w} <= 2'b00;
            end else if (have_aw && have_w && !s_axi_bvalid && dice[8]) begin
                s_axi_bvalid <= 1'b1;
                for (index = 0; index < 4; index = index + 1)
                    if (wstrb[index] && awaddr[21:12] == 10'd0)
                        words[awaddr[11:2]][8 * index +: 8] <= wdata[8 * index +: 8];
                if (awaddr[11:2] == WORK) busy <= 6'd63;
                if (awaddr[11:2] == CLEAR) irq <= 1'b0;
            end

            if (s_axi_rvalid && s_axi_rready)
                {s_axi_rvalid, have_ar} <= 2'b00;
            else if (have_ar && !s_axi_rvalid && dice[11]) begin
                s_axi_rvalid <= 1'b1;
                s_axi_rdata  <= words[araddr[11:2]];
            end

            if (busy != 6'd0) busy <= busy - 6'd1;
            if (busy == 6'd1) begin
                irq           <= 1'b1;
                words[REPORT] <= 32'h600D;
            end
        end
    end
endmodule

`default_nettype wire
