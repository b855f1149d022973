/* SPDX-License-Identifier: Apache-2.0 */
/* @TITLE@ for a core of size @SIZE@, made by xymac compile. Do not edit. */
#include "network.h"

#if XYMAC_NETWORK_FORMAT != 3
#error "The driver is of another version than this network"
#endif

@TABLES@
