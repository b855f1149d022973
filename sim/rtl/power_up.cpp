// SPDX-License-Identifier: Apache-2.0
// The harness whose registers and memories begin with random bits, for a model without initial
// values that was made with `--x-initial unique`.

#include <cstdint>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_syms.h"

static uint64_t seed = 1;

// The harness calls `context.randReset(0)`: here it is random.
#define randReset(value) randReset(2), context.randSeed(static_cast<int>(seed))
#define harness_create harness_create_plain
#include "harness.cpp"
#undef harness_create
#undef randReset

// Inputs are random too: clocks begin low, so that the first edges are seen.
extern "C" void *harness_create() {
    auto *harness = new Harness;
    harness->top->clk = harness->top->apply = 0;
    harness->top->eval();
    return harness;
}

// Seed of the harnesses that are created from now on.
extern "C" void harness_seed(uint64_t value) { seed = value; }
