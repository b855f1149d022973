// SPDX-License-Identifier: Apache-2.0
// Waveforms of a model, or nothing if it is built without tracing.

#pragma once

#include <cstdint>
#include <memory>

#if VM_TRACE
#include "verilated_vcd_c.h"
#include "waves.h"

struct Tracing {
    waves::Waves waves;
    std::unique_ptr<VerilatedVcdC> dump;
    uint64_t first = 0, last = 0;  // cycles to write, from the first to before the last

    // Begin; returns the declarations of Verilator's dump.
    template <typename Model>
    const char *begin(Model &model) {
        dump = std::make_unique<VerilatedVcdC>(&waves);
        model.trace(dump.get(), 99);
        dump->open("waves");
        dump->flush();
        return waves.header();
    }

    // Write the values of this cycle, if it is asked for.
    void write(uint64_t cycle) {
        if (!dump || cycle < first || cycle >= last || waves.error()) return;
        waves.reach(cycle);
        dump->dump(cycle);
    }

    void label(const char *kind, const char *texts) {
        if (!dump) return;
        dump->flush();
        waves.label(kind, texts);
    }

    // Error number so far; with `ends` the file is completed.
    int state(bool ends) {
        if (!dump) return 0;
        dump->flush();
        return ends ? waves.end() : waves.error();
    }

    void close() {
        if (dump) dump->close();
    }
};
#endif
