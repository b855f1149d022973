/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <generated/soc.h>

#include "console.h"

static int32_t element_of(unsigned type, const void *data, uint32_t index)
{
    switch (type) {
    case XYMAC_INT8:
        return ((const int8_t *)data)[index];
    case XYMAC_UINT8:
        return ((const uint8_t *)data)[index];
    case XYMAC_INT16:
        return ((const int16_t *)data)[index];
    default: { /* the bits of a float have the order of its values if it is not negative */
        int32_t bits = ((const int32_t *)data)[index];
        return type == XYMAC_FLOAT && bits < 0 ? (int32_t)(bits ^ 0x7FFFFFFF) : bits;
    }
    }
}

uint32_t class_of(unsigned type, uint32_t count, const void *data)
{
    uint32_t best = 0, index;

    if (count == 1 && type == XYMAC_INT32)
        return (uint32_t)element_of(type, data, 0);
    for (index = 1; index < count; index++)
        if (element_of(type, data, index) > element_of(type, data, best))
            best = index;
    return best;
}

void put_run(uint32_t number, const image_run *run)
{
    put_text("image ");
    put_number(number);
    put_text(": class ");
    put_number(run->class);
    put_text(", ");
    put_number(run->core);
    put_text(" cycles of the core, ");
    put_number(run->cycles);
    put_text(" in all, ");
    put_thousandths(run->cycles * 1000000u / CONFIG_CLOCK_FREQUENCY);
    put_text(run->same ? " ms, = golden\n" : " ms, differs from golden\n");
}

void put_total(uint32_t count, uint32_t differ, uint64_t cycles)
{
    put_number(count);
    put_text(count == 1 ? " image, " : " images, ");
    put_number(differ);
    put_text(" differ from golden, ");
    put_thousandths(1000u * count * (uint64_t)CONFIG_CLOCK_FREQUENCY / cycles);
    put_text(" images a second\n");
}

void put_fault(const xymac_result *result)
{
    put_text(", pass ");
    put_number(result->pass);
    put_text(": ");
    put_text(xymac_status_text(result->status));
}
