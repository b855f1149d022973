/* SPDX-License-Identifier: Apache-2.0 */
/* A program in the SPI flash, behind the bitstream. */
#ifndef XYMAC_FIRMWARE_FLASH_H
#define XYMAC_FIRMWARE_FLASH_H

/* Copy it to the start of main RAM; returns whether it is there. Without one it prints why. */
int copy_program(void);

#endif
