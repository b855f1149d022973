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

/* The data cache of VexRiscv's standard variant: each line has a single place, by its address. */
#define CACHE_BYTES 4096u
#define LINE_BYTES 32u
#define FEW_BYTES 1024u /* for more, emptying the whole cache takes less time */

static volatile int has_ended;
static uint32_t failed_at; /* address of the instruction of an exception */

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
    put_number(failed_at);
    put_text("\n");
    put_end(1);
    for (;;)
        ;
}

/* In place of the trap entry in LiteX's crt0.S, which saves all registers: this one calls nothing.
 * The level stays until CLEAR, so it is masked here. An exception returns to `stop`. */
__attribute__((interrupt)) static void take_trap(void)
{
    if (!(csrr(mcause) & INTERRUPT)) {
        failed_at = csrr(mepc);
        csrw(mepc, (uintptr_t)stop);
    } else if (irq_pending() & 1u << XYMAC_INTERRUPT) {
        xymac_ev_enable_write(0);
        has_ended = 1;
    }
}

/* What the trap entry in crt0.S calls until open_bus. */
void isr(void);
void isr(void)
{
    failed_at = csrr(mepc);
    stop();
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

/* A function of its own, as the processor empties its cache even where this stands behind a branch that
 * it predicted wrongly. */
__attribute__((noinline)) static void empty_cache(void)
{
    flush_cpu_dcache();
}

/* The data cache writes through, so nothing is to be flushed. It cannot drop a single line; reading the
 * RAM on chip replaces a line. */
void xymac_cache_invalidate(void *memory, uint32_t bytes)
{
#if defined(CONFIG_CPU_VARIANT_STANDARD) && SRAM_SIZE >= CACHE_BYTES
    uintptr_t line = (uintptr_t)memory & ~(uintptr_t)(LINE_BYTES - 1);

    if (bytes <= FEW_BYTES) {
        for (; line < (uintptr_t)memory + bytes; line += LINE_BYTES)
            (void)*(volatile uint32_t *)(SRAM_BASE + line % CACHE_BYTES);
        return;
    }
#endif
    empty_cache();
}

void open_bus(xymac_core *core)
{
    core->read = read_word;
    core->write = write_word;
    core->context = (void *)XYMAC_BASE;
    core->wait = wait_for_interrupt;
    csrw(mtvec, (uintptr_t)take_trap);
    irq_setmask(1u << XYMAC_INTERRUPT);
    irq_setie(1);
}

uint64_t read_clock(void)
{
    timer0_uptime_latch_write(1);
    return timer0_uptime_cycles_read();
}
