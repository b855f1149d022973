// SPDX-License-Identifier: Apache-2.0
// Drives a verilated core from Python through ctypes: whole requests and whole runs a call. The core
// sits in the module `harness` of harness.py, which passes inputs on at an edge of `apply`.

#include <cstdint>
#include <cstring>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_syms.h"
#ifdef DMA
#include "axi_memory.h"
#endif
#include "tracing.h"

// Verilator spells the second of two underscores in a port name ___05F.
namespace {

struct Harness {
    VerilatedContext context;
    std::unique_ptr<Vtop> top;
    uint64_t cycles = 0;
    uint64_t random = 1, percent = 0;  // of pauses
    const char *offence = nullptr;
#if VM_TRACE
    Tracing tracing;
#endif

    Harness() {
        context.randReset(0);
        context.traceEverOn(VM_TRACE);
        top = std::make_unique<Vtop>(&context, "");
    }

    ~Harness() {
        Verilated::threadContextp(&context);  // It may be that of a harness long gone.
#if VM_TRACE
        tracing.close();
#endif
        top->final();
    }

#ifdef DMA
    AxiMemory memory;
    bool rests[4] = {};  // AR, AW, W and both answers of the memory port pause in this cycle
    uint64_t memory_percent = 0;

    // Show the memory's side of its port, then take all that the core offers.
    void exchange() {
        for (bool &rest : rests) rest = memory_percent && pauses(memory_percent);
        memory.serve(DMA / 8);
        const bool rvalid = !memory.beats.empty() && !(rests[3] && !top->m_rvalid);
        const bool bvalid = !memory.answers.empty() && memory.answers.front().ready <= memory.now
            && !(rests[3] && !top->m_bvalid);
        const bool arready = memory.takes_address() && !rests[0];
        const bool awready = memory.takes_write() && !rests[1];
        const bool wready = memory.takes_data() && !rests[2];
        if (rvalid || bvalid || arready != top->m_arready || awready != top->m_awready
            || wready != top->m_wready || top->m_rvalid || top->m_bvalid) {
            top->m_rvalid = rvalid, top->m_bvalid = bvalid;
            top->m_arready = arready, top->m_awready = awready, top->m_wready = wready;
            if (rvalid) {
                const auto &beat = memory.beats.front();
                std::memcpy(&top->m_rdata, beat.data, DMA / 8);
                top->m_rresp = beat.response, top->m_rlast = beat.last, top->m_rid = beat.id;
            }
            if (bvalid) {
                top->m_bresp = memory.answers.front().failed ? memory.code : 0;
                top->m_bid = memory.answers.front().id;
            }
            apply();
        }
        if (rvalid && top->m_rready) memory.beats.pop_front();
        if (bvalid && top->m_bready) memory.answers.pop_front();
        if (wready && top->m_wvalid)
            memory.add_data(reinterpret_cast<const uint8_t *>(&top->m_wdata), top->m_wstrb,
                            top->m_wlast, DMA / 8);
        if (arready && top->m_arvalid)
            memory.add_read(top->m_araddr, top->m_arlen + 1, 1u << top->m_arsize, top->m_arid);
        if (awready && top->m_awvalid)
            memory.add_write(top->m_awaddr, top->m_awlen + 1, 1u << top->m_awsize, top->m_awid);
        ++memory.now;
    }
#else
    void exchange() {}
#endif

    // One clock cycle; combinational outputs are settled before and after.
    void tick() {
        exchange();
        top->clk = 1;
        top->eval();
#if VM_TRACE
        tracing.write(cycles);
#endif
        top->clk = 0;
        top->eval();
        ++cycles;
    }

    // Let the core see its inputs; combinational outputs are settled after.
    void apply() {
        top->apply = 1;
        top->eval();
        top->apply = 0;
        top->eval();
    }

    // Whether a channel pauses in this cycle.
    bool pauses(uint64_t share) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        return (random >> 32) % 100 < share;
    }

#ifdef AXI
    bool pauses() { return pauses(percent); }

    // Take away all that is offered.
    void withdraw() {
        top->awvalid = top->wvalid = top->bready = top->arvalid = top->rready = 0;
        apply();
    }

    // What a slave must not do, or null: answer what was not asked, or take back an answer that
    // was `held` since the last cycle.
    const char *judge(bool write, bool asked, bool held, uint64_t before, uint64_t now) const {
        const bool answers = write ? top->bvalid : top->rvalid;
        if (write ? top->rvalid : top->bvalid) return "an answer on the channel of the other kind";
        if (answers && !asked) return "an answer before the request was taken";
        if (held && !answers) return "an answer that was taken back";
        if (held && before != now) return "an answer that changed before it was taken";
        return nullptr;
    }

    // Make one transfer; false if it takes more than `limit` cycles, or there is an `offence`. What
    // is offered stays until it is taken; where a channel pauses, it offers, or takes, later.
    bool transfer(uint64_t request, uint64_t *response, uint64_t limit) {
        const bool write = request & 1;
        bool address = false, data = !write, held = false;  // taken, taken, an answer waits
        uint64_t before = 0;
        top->request___05Fpayload = request;
        for (uint64_t waited = 0; waited < limit; ++waited) {
            auto &valid = write ? top->awvalid : top->arvalid;
            auto &ready = write ? top->bready : top->rready;
            valid = !address && (valid || !pauses());
            top->wvalid = !data && (top->wvalid || !pauses());
            ready = !pauses();
            apply();
            const bool error = (write ? top->bresp : top->rresp) != 0;
            const uint64_t now = uint64_t(error) << 32 | (write ? 0 : top->rdata);
            const bool answers = write ? top->bvalid : top->rvalid;
            offence = judge(write, address && data, held, before, now);
            if (offence != nullptr) return withdraw(), false;
            const bool takes = valid && (write ? top->awready : top->arready);
            const bool stores = top->wvalid && top->wready;
            const bool ends = answers && ready;
            tick();
            address |= takes, data |= stores, held = answers, before = now;
            if (ends) {
                *response = now;
                return withdraw(), true;
            }
        }
        return withdraw(), false;
    }
#else
    void withdraw() {
        top->request___05Fvalid = 0;
        top->response___05Fready = 1;
        apply();
    }

    // Offer one request, take its response; false if either takes more than `limit` cycles.
    bool transfer(uint64_t request, uint64_t *response, uint64_t limit) {
        bool sent = false;
        top->request___05Fpayload = request;
        top->request___05Fvalid = 1;
        top->response___05Fready = 1;
        apply();
        for (uint64_t waited = 0; waited < limit; ++waited) {
            const bool taken = !sent && top->request___05Fready;
            const bool answered = (sent || taken) && top->response___05Fvalid;
            if (answered) *response = top->response___05Fpayload;
            tick();
            if (taken) {
                sent = true;
                top->request___05Fvalid = 0;
                apply();
            }
            if (answered) return true;
        }
        withdraw();
        return false;
    }
#endif
};

}  // namespace

extern "C" {

void *harness_create() {
    auto *harness = new Harness;
    harness->top->clk = 0;
    harness->top->eval();
    return harness;
}

void harness_destroy(void *self) { delete static_cast<Harness *>(self); }

// Hold reset for as long as `xymac.hdl.core.core.Core.RESET` says. Memories keep their content.
void harness_reset(void *self) {
    constexpr int CYCLES = 160;
    auto &harness = *static_cast<Harness *>(self);
    harness.top->rst = 1;
    harness.withdraw();
    for (int cycle = 0; cycle < CYCLES; ++cycle) harness.tick();
    harness.top->rst = 0;
    harness.apply();
}

// Make `count` requests one after another; returns how many were answered.
uint64_t harness_transfer(void *self, const uint64_t *requests, uint64_t *responses,
                          uint64_t count, uint64_t limit) {
    auto &harness = *static_cast<Harness *>(self);
    for (uint64_t index = 0; index < count; ++index) {
        if (!harness.transfer(requests[index], &responses[index], limit)) return index;
    }
    return count;
}

// Clock until the interrupt, at most `limit` cycles; returns the cycles clocked.
uint64_t harness_run(void *self, uint64_t limit) {
    auto &harness = *static_cast<Harness *>(self);
    uint64_t done = 0;
    for (; done < limit && !harness.top->irq; ++done) harness.tick();
    return done;
}

// Let each channel of the port pause in `percent` of the cycles; nothing but AXI has channels.
void harness_pause(void *self, uint64_t percent, uint64_t seed) {
    auto &harness = *static_cast<Harness *>(self);
    harness.percent = percent;
    harness.random = seed | 1;
}

#ifdef DMA
// Connect `bytes` bytes at `data` as the external memory, its first byte at address `base`.
void harness_connect(void *self, uint8_t *data, uint64_t base, uint64_t bytes) {
    auto &memory = static_cast<Harness *>(self)->memory;
    memory.data = data, memory.base = base, memory.bytes = bytes;
}

// Set the timing of the external memory: the members of `AxiMemory::Timing` in order.
void harness_time(void *self, const uint64_t *values) {
    std::memcpy(&static_cast<Harness *>(self)->memory.timing, values,
                sizeof(AxiMemory::Timing));
}

// Answer accesses to the addresses `first` to `end` with the AXI response `code`; let every channel
// of the memory port pause in `percent` of the cycles.
void harness_disturb(void *self, uint64_t first, uint64_t end, uint64_t code, uint64_t percent) {
    auto &harness = *static_cast<Harness *>(self);
    harness.memory.bad = first, harness.memory.bad_end = end, harness.memory.code = code;
    harness.memory_percent = percent;
}

// Bytes read, bytes written, and cycles in which the memory moved data.
void harness_moved(void *self, uint64_t *values) {
    const auto &memory = static_cast<Harness *>(self)->memory;
    values[0] = memory.read_bytes, values[1] = memory.written_bytes, values[2] = memory.busy;
}

// Which rule of AXI4 the core broke at its memory port; null if none.
const char *harness_breach(void *self) { return static_cast<Harness *>(self)->memory.offence; }

// Whether the memory still owes beats or answers.
int harness_owes(void *self) {
    const auto &memory = static_cast<Harness *>(self)->memory;
    return !memory.reads.empty() || !memory.beats.empty() || !memory.writes.empty()
        || !memory.answers.empty();
}
#endif

// Cycles clocked so far, but for those of `harness_spin`.
uint64_t harness_cycles(void *self) { return static_cast<Harness *>(self)->cycles; }

// Which rule of its port the core broke in the last transfer; null if none.
const char *harness_offence(void *self) { return static_cast<Harness *>(self)->offence; }

// The bare loop that `harness_run` is measured against.
void harness_spin(void *self, uint64_t cycles) {
    Vtop &top = *static_cast<Harness *>(self)->top;
    for (uint64_t done = 0; done < cycles; ++done) {
        top.clk = 1;
        top.eval();
        top.clk = 0;
        top.eval();
    }
}

// Whether the interrupt is raised.
int harness_irq(void *self) { return static_cast<Harness *>(self)->top->irq; }

// Find the one memory called `name`, in whatever module; null if there is none. A word lies in the
// smallest of 1, 2, 4 and 8 bytes that holds it, little-endian.
void *harness_memory(void *self, const char *name, uint32_t *depth, uint32_t *bits) {
    const auto *scopes = static_cast<Harness *>(self)->context.scopeNameMap();
    for (const auto &scope : *scopes) {
        const VerilatedVar *var = scope.second->varFind(name);
        if (var == nullptr || var->udims() != 1) continue;
        *depth = var->elements(1);
        *bits = var->entBits();
        return var->datap();
    }
    return nullptr;
}

#if VM_TRACE
// Begin waveforms; returns the declarations of Verilator's dump.
const char *harness_declarations(void *self) {
    auto &harness = *static_cast<Harness *>(self);
    return harness.tracing.begin(*harness.top);
}

// Write the cycles from `first` to before `last` to the file `path`; see `Waves::declare`.
void harness_trace(void *self, const char *path, const char *format, uint64_t period,
                   const char *plan, uint64_t first, uint64_t last) {
    auto &tracing = static_cast<Harness *>(self)->tracing;
    tracing.first = first;
    tracing.last = last;
    tracing.waves.declare(path, format, period, plan);
}

// Name the passes of the programs from now on, see `Waves::label`.
void harness_label(void *self, const char *kind, const char *texts) {
    static_cast<Harness *>(self)->tracing.label(kind, texts);
}

// Error number of the waveform file so far, 0 for none; with `ends` the file is completed.
int harness_waves(void *self, int ends) {
    return static_cast<Harness *>(self)->tracing.state(ends);
}
#endif
}
