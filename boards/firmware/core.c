/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <irq.h>
#include <system.h>

#include "console.h"
#include "xymac_external.h"

#define INTERRUPT 0x80000000u /* of mcause; all else is an exception */

static volatile int has_ended;

static int read_word(void *base, uint32_t offset, uint32_t *word)
{
    *word = *(volatile uint32_t *)((uintptr_t)base + offset);
    return 0;
}

static int write_word(void *base, uint32_t offset, uint32_t word)
{
    *(volatile uint32_t *)((uintptr_t)base + offset) = word;
    return 0;
}

/* A program that the processor cannot go on with. */
static void stop(void)
{
    put_text("exception ");
    put_number(csrr(mcause));
    put_text(" at address ");
    put_number(csrr(mepc));
    put_text("\n");
    put_end(1);
    for (;;)
        ;
}

/* Called by the trap entry in LiteX's crt0.S. The level stays until CLEAR: it is masked here. */
void isr(void);
void isr(void)
{
    if (!(csrr(mcause) & INTERRUPT))
        stop();
    if (irq_pending() & 1u << XYMAC_INTERRUPT) {
        xymac_ev_enable_write(0);
        has_ended = 1;
    }
}

static int wait_for_interrupt(void *base)
{
    (void)base;
    has_ended = 0;
    xymac_ev_enable_write(1);
    while (!has_ended)
        ;
    return 0;
}

/* The data cache writes through, so nothing is to be flushed; it is emptied as a whole. */
void xymac_cache_invalidate(void *memory, uint32_t bytes)
{
    (void)memory;
    (void)bytes;
    flush_cpu_dcache();
}

void open_bus(xymac_core *core)
{
    core->read = read_word;
    core->write = write_word;
    core->context = (void *)XYMAC_BASE;
    core->wait = wait_for_interrupt;
    irq_setmask(1u << XYMAC_INTERRUPT);
    irq_setie(1);
}

uint64_t read_clock(void)
{
    timer0_uptime_latch_write(1);
    return timer0_uptime_cycles_read();
}
