/* SPDX-License-Identifier: Apache-2.0 */
/* A flash image is that of LiteX's crcfbigen with --fbi --little: byte count, CRC-32, program. */
#include "flash.h"

#include <generated/mem.h>
#include <generated/soc.h>
#include <stdint.h>
#include <string.h>

#include "console.h"

#ifdef FLASH_BOOT_ADDRESS

typedef struct {
    uint32_t bytes, crc;
    uint8_t program[];
} flash_image;

/* The CRC-32 of zlib, half a byte at a time. */
static uint32_t crc_of(const uint8_t *data, uint32_t bytes)
{
    static const uint32_t STEPS[] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    uint32_t crc = ~0u;

    while (bytes--) {
        crc ^= *data++;
        crc = crc >> 4 ^ STEPS[crc & 15];
        crc = crc >> 4 ^ STEPS[crc & 15];
    }
    return ~crc;
}

int copy_program(void)
{
    const flash_image *image = (const flash_image *)FLASH_BOOT_ADDRESS;
    uint32_t room = SPIFLASH_BASE + SPIFLASH_SIZE - FLASH_BOOT_ADDRESS - sizeof *image;

    if (!image->bytes || image->bytes > room || image->bytes > MAIN_RAM_SIZE) {
        put_text("no program in the flash\n"); /* erased, all bits are 1 */
        return 0;
    }
    memcpy((void *)MAIN_RAM_BASE, image->program, image->bytes);
    if (crc_of((const uint8_t *)MAIN_RAM_BASE, image->bytes) == image->crc)
        return 1;
    put_text("the program in the flash is damaged\n");
    return 0;
}

#else

int copy_program(void)
{
    return 0;
}

#endif
