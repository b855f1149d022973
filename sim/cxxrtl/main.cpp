// SPDX-License-Identifier: Apache-2.0
// Drives a core that yosys has made C++ of (CXXRTL): the functions of sim/rtl/harness.cpp, without
// direct access to memories.

#include <cstdint>

#include "top.cpp"

namespace {

struct Harness {
    cxxrtl_design::p_top top;
    uint64_t cycles = 0;

    void tick() {
        top.p_clk.set<bool>(true);
        top.step();
        top.p_clk.set<bool>(false);
        top.step();
        ++cycles;
    }

    void withdraw() {
        top.p_request____valid.set<bool>(false);
        top.p_response____ready.set<bool>(true);
        top.step();
    }

    // Offer one request, take its response; false if either takes more than `limit` cycles.
    bool transfer(uint64_t request, uint64_t *response, uint64_t limit) {
        bool sent = false;
        top.p_request____payload.set<uint64_t>(request);
        top.p_request____valid.set<bool>(true);
        top.p_response____ready.set<bool>(true);
        top.step();
        for (uint64_t waited = 0; waited < limit; ++waited) {
            const bool taken = !sent && top.p_request____ready.get<bool>();
            const bool answered = (sent || taken) && top.p_response____valid.get<bool>();
            if (answered) *response = top.p_response____payload.get<uint64_t>();
            tick();
            if (taken) {
                sent = true;
                top.p_request____valid.set<bool>(false);
                top.step();
            }
            if (answered) return true;
        }
        withdraw();
        return false;
    }
};

}  // namespace

extern "C" {

void *harness_create() {
    auto *harness = new Harness;
    harness->top.p_clk.set<bool>(false);
    harness->top.step();
    return harness;
}

void harness_destroy(void *self) { delete static_cast<Harness *>(self); }

void harness_reset(void *self) {
    constexpr int CYCLES = 160;  // as sim/rtl/harness.cpp
    auto &harness = *static_cast<Harness *>(self);
    harness.top.p_rst.set<bool>(true);
    harness.withdraw();
    for (int cycle = 0; cycle < CYCLES; ++cycle) harness.tick();
    harness.top.p_rst.set<bool>(false);
    harness.top.step();
}

uint64_t harness_transfer(void *self, const uint64_t *requests, uint64_t *responses,
                          uint64_t count, uint64_t limit) {
    auto &harness = *static_cast<Harness *>(self);
    for (uint64_t index = 0; index < count; ++index) {
        if (!harness.transfer(requests[index], &responses[index], limit)) return index;
    }
    return count;
}

uint64_t harness_run(void *self, uint64_t limit) {
    auto &harness = *static_cast<Harness *>(self);
    uint64_t done = 0;
    for (; done < limit && !harness.top.p_irq.get<bool>(); ++done) harness.tick();
    return done;
}

void harness_spin(void *self, uint64_t cycles) {
    auto &harness = *static_cast<Harness *>(self);
    for (uint64_t done = 0; done < cycles; ++done) harness.tick();
}

void harness_pause(void *, uint64_t, uint64_t) {}

uint64_t harness_cycles(void *self) { return static_cast<Harness *>(self)->cycles; }

const char *harness_offence(void *) { return nullptr; }

int harness_irq(void *self) { return static_cast<Harness *>(self)->top.p_irq.get<bool>(); }

void *harness_memory(void *, const char *, uint32_t *, uint32_t *) { return nullptr; }
}
