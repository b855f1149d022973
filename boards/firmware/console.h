/* SPDX-License-Identifier: Apache-2.0 */
/* Text on the UART of a LiteX system. */
#ifndef XYMAC_FIRMWARE_CONSOLE_H
#define XYMAC_FIRMWARE_CONSOLE_H

#include <stdint.h>

void put_byte(char byte);         /* waits while the UART is full */
void put_text(const char *text);
void put_number(uint64_t number); /* decimal */
void put_thousandths(uint64_t number); /* 1234 as 1.234 */
void put_end(int has_failed);     /* a byte 4, and a digit: the end of the text of a program */

#endif
