// SPDX-License-Identifier: Apache-2.0
// Reset a core for 200 cycles from power-on, read its first words, and count what it answers.
`timescale 1ns / 1ns

module power_up;
    reg         clk, rst, arvalid;
    reg  [21:0] araddr;
    wire        arready, rvalid;
    wire [31:0] rdata;
    wire [1:0]  rresp;
    integer     word, answers;

    xymac_tiny core (
        .clk(clk), .rst(rst), .irq(),
        .s_axi_awvalid(1'b0), .s_axi_awready(), .s_axi_awaddr(22'd0), .s_axi_awprot(3'd0),
        .s_axi_wvalid(1'b0), .s_axi_wready(), .s_axi_wdata(32'd0), .s_axi_wstrb(4'd0),
        .s_axi_bvalid(), .s_axi_bready(1'b1), .s_axi_bresp(),
        .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr),
        .s_axi_arprot(3'd0), .s_axi_rvalid(rvalid), .s_axi_rready(1'b1), .s_axi_rdata(rdata),
        .s_axi_rresp(rresp));

    always #5 clk = ~clk;

    always @(posedge clk)
        if (!rst && rvalid !== 1'b0) begin
            $display("%h %b %b", rdata, rresp, rvalid);
            answers = answers + 1;
        end

    initial begin
        clk     = 1'b0;
        rst     = 1'b1;
        arvalid = 1'b0;
        araddr  = 22'd0;
        answers = 0;
        repeat (200) @(negedge clk);
        rst = 1'b0;
        for (word = 0; word < 3; word = word + 1) begin
            @(negedge clk) araddr = 4 * word;
            arvalid = 1'b1;
            while (arready !== 1'b1) @(negedge clk);
            @(negedge clk) arvalid = 1'b0;
            while (answers <= word) @(negedge clk);
        end
        repeat (20) @(negedge clk);
        $finish;
    end
endmodule
