/* SPDX-License-Identifier: Apache-2.0 */
/* Runs @TITLE@ on one input and compares the outputs with those of the golden model.
 *
 * Compiled with -DXYMAC_BASE=0x40000000, a core at that address is used as it is; without, another
 * file has the function xymac_bus_open, which fills in the functions of a xymac_core and returns 0.
 */
#include <stdio.h>
#include <string.h>

#include "network.h"

@EXAMPLE@

#ifdef XYMAC_BASE
static int read_word(void *context, uint32_t offset, uint32_t *word)
{
    *word = ((volatile uint32_t *)context)[offset / 4];
    return 0;
}

static int write_word(void *context, uint32_t offset, uint32_t word)
{
    ((volatile uint32_t *)context)[offset / 4] = word;
    return 0;
}

static int xymac_bus_open(xymac_core *core)
{
    core->read = read_word;
    core->write = write_word;
    core->context = (void *)(uintptr_t)XYMAC_BASE;
    return 0;
}
#else
#ifdef __cplusplus
extern "C"
#endif
int xymac_bus_open(xymac_core *core);
#endif

@COMPARE@
int main(void)
{
    xymac_core core;
    @RESULT@ result;
    xymac_error error = XYMAC_ERROR_BUS;
    int differ = 0;

    memset(&core, 0, sizeof core);
    memset(&result, 0, sizeof result);
    if (xymac_bus_open(&core) == 0)
        error = xymac_open(&core);
    if (error == XYMAC_OK)
        error = xymac_@KIND@_load(&core, &@NAME@@ARGUMENT@);
    if (error == XYMAC_OK)
        error = @NAME@_run(&core, @ARGUMENTS@, &result);
    if (error != XYMAC_OK) {
        printf("@TITLE@: %s\n", xymac_error_text(error));
@FAULT@
        return 2;
    }
@CHECKS@
    printf("%lu cycles, outputs %s\n",
           (unsigned long)@COUNTERS@[XYMAC_COUNTER_CYCLES],
           differ ? "differ from the golden model" : "= golden, bit for bit");
    return differ;
}
