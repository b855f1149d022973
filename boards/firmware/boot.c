/* SPDX-License-Identifier: Apache-2.0 */
/* The program in ROM: makes SDRAM ready, takes a program over the serial line or out of the flash, and
 * starts it.
 *
 * The line has the serial boot protocol of LiteX, whose host side is its command litex_term: frames
 * with a CRC that load bytes at addresses, and one that jumps. A host that answers the first request
 * comes before the flash. */
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#ifdef CSR_SDRAM_BASE
#include <generated/sdram_phy.h>
#endif
#include <string.h>
#include <system.h>

#include "console.h"
#include "flash.h"

#define REQUEST "sL5DdSMmkekro\n"
#define ANSWER  "z6IHG7cYDID6o\n"
#define ADDRESS_BYTES 4u
#define TESTED 1024u /* words of main RAM that are tried */

/* Turns of a loop until a request counts as not answered, a frame as incomplete: half a second. */
#ifndef BOOT_PATIENCE
#define BOOT_PATIENCE (CONFIG_CLOCK_FREQUENCY / 24)
#endif

enum { ABORT, LOAD, JUMP };

static void start(uint32_t address)
{
    flush_cpu_icache();
    ((void (*)(void))(uintptr_t)address)();
}

/* There is no interrupt here; an exception ends it. */
void isr(void);
void isr(void)
{
    put_text("exception\n");
    for (;;)
        ;
}

static int has_byte(void)
{
    return !uart_rxempty_read();
}

static uint8_t take_byte(void)
{
    uint8_t byte = (uint8_t)uart_rxtx_read();

    uart_ev_pending_write(2); /* takes the byte out of the queue */
    return byte;
}

/* The next byte of a frame, or -1 if it does not come. */
static int wait_byte(void)
{
    uint32_t left = BOOT_PATIENCE;

    while (!has_byte())
        if (!left--)
            return -1;
    return take_byte();
}

/* CRC-16 of CCITT, begun with 0, a byte further: as fast as bytes come. */
static uint16_t add_byte(uint16_t crc, uint8_t byte)
{
    uint16_t mixed = (uint16_t)(crc >> 8 ^ byte);

    mixed ^= mixed >> 4;
    return (uint16_t)(crc << 8 ^ mixed << 12 ^ mixed << 5 ^ mixed);
}

/* Ask until the host answers, at most `requests` times; returns whether it has. */
static int find_host(uint32_t requests)
{
    unsigned known = 0;

    for (; requests; requests--) {
        uint32_t left = BOOT_PATIENCE;
        put_text(REQUEST);
        for (; left; left--) {
            char byte;
            if (!has_byte())
                continue;
            byte = (char)take_byte();
            known = byte == ANSWER[known] ? known + 1 : byte == ANSWER[0];
            if (known == sizeof ANSWER - 1)
                return 1;
        }
    }
    return 0;
}

static uint32_t address_in(const uint8_t *payload)
{
    return (uint32_t)payload[0] << 24 | (uint32_t)payload[1] << 16 | (uint32_t)payload[2] << 8
        | payload[3];
}

/* Take a frame; returns its command, or -1 if it is damaged or incomplete. */
static int take_frame(uint8_t *payload, unsigned *length)
{
    uint8_t head[4]; /* length of the payload, CRC, command */
    uint16_t crc;
    unsigned index;
    int byte;

    while (!has_byte())
        ;
    for (index = 0; index < sizeof head; index++) {
        if ((byte = wait_byte()) < 0)
            return -1;
        head[index] = (uint8_t)byte;
    }
    crc = add_byte(0, head[3]);
    *length = head[0];
    for (index = 0; index < *length; index++) {
        if ((byte = wait_byte()) < 0)
            return -1;
        payload[index] = (uint8_t)byte;
        crc = add_byte(crc, payload[index]);
    }
    return crc == (head[1] << 8 | head[2]) ? head[3] : -1;
}

static void load_program(void)
{
    uint8_t payload[255];
    unsigned length;

    for (;;) {
        int command = take_frame(payload, &length);
        char answer = 'K';
        if (command < 0)
            answer = 'C';
        else if (command == LOAD && length > ADDRESS_BYTES)
            memcpy((void *)(uintptr_t)address_in(payload), payload + ADDRESS_BYTES,
                   length - ADDRESS_BYTES);
        else if (command != JUMP || length != ADDRESS_BYTES)
            answer = 'U';
        put_byte(answer);
        if (command == JUMP && answer == 'K')
            start(address_in(payload));
        if (command == ABORT)
            return;
    }
}

#ifdef CSR_SDRAM_BASE
static void open_sdram(void)
{
    sdram_dfii_control_write(DFII_CONTROL_CKE | DFII_CONTROL_ODT | DFII_CONTROL_RESET_N);
    init_sequence();
    sdram_dfii_control_write(DFII_CONTROL_SEL);
}
#else
static void open_sdram(void)
{
}
#endif

/* Write and read main RAM; returns whether all words are as written. */
static int try_ram(void)
{
    volatile uint32_t *words = (volatile uint32_t *)MAIN_RAM_BASE;
    uint32_t step = MAIN_RAM_SIZE / sizeof *words / TESTED, index, good = 1;

    for (index = 0; index < TESTED; index++)
        words[index * step] = index * 0x9E3779B9u;
    for (index = 0; index < TESTED; index++)
        good &= words[index * step] == index * 0x9E3779B9u;
    return (int)good;
}

int main(void)
{
    open_sdram();
#ifdef MAIN_RAM_PRELOADED
    start(MAIN_RAM_BASE);
#endif
    if (!try_ram()) {
        put_text("main RAM does not keep its words\n");
        put_end(1);
        for (;;)
            ;
    }
    if (find_host(1))
        load_program();
    else if (copy_program())
        start(MAIN_RAM_BASE);
    for (;;)
        if (find_host(~0u))
            load_program();
}
