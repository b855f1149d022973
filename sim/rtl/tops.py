# SPDX-License-Identifier: Apache-2.0
"""Verilog top modules of the fast harness: a core with registered inputs.

A Verilator model recomputes all logic behind an input in every evaluation, twice a cycle. Behind
these registers it does so only at a rising edge of ``apply``.
"""

from xymac.hdl.request import Request, Response

__all__ = ["AXI_TOP", "STREAM_TOP"]

_ADDRESS, _DATA, _MASK = (
    f"payload[{Request[name].offset + Request[name].width - 1}:{Request[name].offset}]"
    for name in ("address", "data", "mask"))

#: Top module for a component with the streams ``request`` and ``response``.
STREAM_TOP = f"""
module harness(clk, apply, rst, request__valid, request__payload, response__ready,
               request__ready, response__valid, response__payload, irq);
  input clk, apply, rst, request__valid, response__ready;
  input [{Request.size - 1}:0] request__payload;
  output request__ready, response__valid, irq;
  output [{Response.size - 1}:0] response__payload;
  reg reset, valid, ready;
  reg [{Request.size - 1}:0] payload;
  /* verilator lint_off COMBDLY */
  always @({{event}}) begin
    reset <= rst;
    valid <= request__valid;
    payload <= request__payload;
    ready <= response__ready;
  end
  /* verilator lint_off PINMISSING */
  top core(.clk(clk), .rst(reset), .request__valid(valid), .request__payload(payload),
           .request__ready(request__ready), .response__valid(response__valid),
           .response__payload(response__payload), .response__ready(ready), .irq(irq));
endmodule
"""

#: Top module for an AXI4-Lite slave. While a channel is invalid, its payload is inverted.
AXI_TOP = f"""
module harness(clk, apply, rst, request__payload, awvalid, wvalid, bready, arvalid, rready,
               awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp, irq);
  input clk, apply, rst, awvalid, wvalid, bready, arvalid, rready;
  input [{Request.size - 1}:0] request__payload;
  output awready, wready, bvalid, arready, rvalid, irq;
  output [1:0] bresp, rresp;
  output [{Response["data"].width - 1}:0] rdata;
  reg reset, aw, w, b, ar, r;
  reg [{Request.size - 1}:0] payload;
  /* verilator lint_off COMBDLY */
  always @({{event}}) begin
    reset <= rst;
    aw <= awvalid;
    w <= wvalid;
    b <= bready;
    ar <= arvalid;
    r <= rready;
    payload <= request__payload;
  end
  /* verilator lint_off PINMISSING */
  top core(.clk(clk), .rst(reset), .irq(irq),
           .s_axi_awvalid(aw), .s_axi_awready(awready), .s_axi_awprot(3'b0),
           .s_axi_awaddr(aw ? {_ADDRESS} : ~{_ADDRESS}),
           .s_axi_wvalid(w), .s_axi_wready(wready),
           .s_axi_wdata(w ? {_DATA} : ~{_DATA}),
           .s_axi_wstrb(w ? {_MASK} : ~{_MASK}),
           .s_axi_bvalid(bvalid), .s_axi_bready(b), .s_axi_bresp(bresp),
           .s_axi_arvalid(ar), .s_axi_arready(arready), .s_axi_arprot(3'b0),
           .s_axi_araddr(ar ? {_ADDRESS} : ~{_ADDRESS}),
           .s_axi_rvalid(rvalid), .s_axi_rready(r), .s_axi_rdata(rdata), .s_axi_rresp(rresp));
endmodule
"""
