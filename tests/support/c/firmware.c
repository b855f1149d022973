/* SPDX-License-Identifier: Apache-2.0 */
/* What the program of a LiteX system takes from the system: its core is that of pipe.c, its UART
 * stdout. */
#include <stdio.h>

#include "console.h"
#include "core.h"

int xymac_bus_open(xymac_core *core);

void open_bus(xymac_core *core)
{
    if (xymac_bus_open(core))
        put_text("no bus\n");
}

uint64_t read_clock(void)
{
    static uint64_t cycles;

    return cycles += 1000;
}

void put_byte(char byte)
{
    putchar(byte);
}

void put_text(const char *text)
{
    fputs(text, stdout);
}

void put_number(uint64_t number)
{
    printf("%lu", (unsigned long)number);
}

void put_thousandths(uint64_t number)
{
    printf("%lu.%03lu", (unsigned long)(number / 1000), (unsigned long)(number % 1000));
}

void put_end(int has_failed)
{
    printf("\4%d", has_failed);
}
