// SPDX-License-Identifier: Apache-2.0
// The harness of a core that counts coverage. It is a file of its own, so that no other simulation
// is compiled again when it changes.

#include "harness.cpp"

#include "verilated_cov.h"

extern "C" {

// Write the counters of the coverage to the file `path`.
void harness_cover(void *self, const char *path) {
    static_cast<Harness *>(self)->context.coveragep()->write(path);
}
}
