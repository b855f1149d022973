// SPDX-License-Identifier: Apache-2.0
        if (error == XYMAC_ERROR_LIST || error == XYMAC_ERROR_TIMEOUT)
            printf("command %lu of the list at byte %lu: %s\n", (unsigned long)result.entry,
                   (unsigned long)result.list, xymac_list_status_text(result.status));
        if (error == XYMAC_ERROR_LIST && result.status == XYMAC_LIST_STATUS_PROGRAM)
            printf("pass %lu: %s\n", (unsigned long)result.program.pass,
                   xymac_status_text(result.program.status));
