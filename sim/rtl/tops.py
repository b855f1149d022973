# SPDX-License-Identifier: Apache-2.0
"""Verilog top modules for the fast harness: a core with registered inputs.

A Verilator model recomputes all logic behind an input in every evaluation, twice a cycle. Behind
these registers it does so only at a rising edge of ``apply``.
"""

from xymac.hdl.request import Request, Response

__all__ = ["AXI_TOP", "STREAM_TOP", "dma_top"]

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

#: Signals of the memory port from the core and to it, by channel: name and bits, None for the data
#: width, -1 for the byte strobes.
_TO_MEMORY = {"ar": {"addr": 32, "len": 8, "size": 3, "burst": 2, "id": 1, "valid": 1},
              "aw": {"addr": 32, "len": 8, "size": 3, "burst": 2, "id": 1, "valid": 1},
              "w": {"data": None, "strb": -1, "last": 1, "valid": 1}, "r": {"ready": 1},
              "b": {"ready": 1}}
_TO_CORE   = {"ar": {"ready": 1}, "aw": {"ready": 1}, "w": {"ready": 1},
              "r": {"data": None, "resp": 2, "last": 1, "id": 1, "valid": 1},
              "b": {"resp": 2, "id": 1, "valid": 1}}


def dma_top(width):
    """Top module for a core with an AXI4-Lite slave and an AXI4 master with ``width`` data bits.

    It is ``AXI_TOP`` with the memory port signals ``m_*``, inputs behind registers.
    """
    def list_signals(channels):
        for channel, fields in channels.items():
            for name, bits in fields.items():
                yield f"{channel}{name}", {None: width, -1: width // 8}.get(bits, bits)

    out, into = list(list_signals(_TO_MEMORY)), list(list_signals(_TO_CORE))
    ports  = ", ".join(f"m_{name}" for name, _ in (*out, *into))
    lines  = [f"  output [{bits - 1}:0] m_{name};" for name, bits in out]
    lines += [f"  input [{bits - 1}:0] m_{name};\n  reg [{bits - 1}:0] q_{name};"
              for name, bits in into]
    keep   = "\n".join(f"    q_{name} <= m_{name};" for name, _ in into)
    wires  = "".join(f", .m_axi_{name}(m_{name})" for name, _ in out)
    wires += "".join(f", .m_axi_{name}(q_{name})" for name, _ in into)
    text   = AXI_TOP.replace("rresp, irq);", f"rresp, irq, {ports});\n" + "\n".join(lines), 1)
    text   = text.replace("    reset <= rst;", f"{keep}\n    reset <= rst;", 1)
    return text.replace(".irq(irq),", f".irq(irq), .bus_reset(1'b0){wires},", 1)
