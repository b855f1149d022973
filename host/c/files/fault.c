// SPDX-License-Identifier: Apache-2.0
        if (error == XYMAC_ERROR_FAULT)
            printf("pass %lu: %s\n", (unsigned long)result.pass,
                   xymac_status_text(result.status));
