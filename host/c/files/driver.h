/* SPDX-License-Identifier: Apache-2.0 */
/* The driver, xymac.c: over two functions that say how a word of 32 bits is read and written. It
 * allocates nothing, keeps nothing but a xymac_core of yours, and needs no library.
 *
 *     static int read_word(void *base, uint32_t offset, uint32_t *word)
 *     {
 *         *word = ((volatile uint32_t *)base)[offset / 4];
 *         return 0;
 *     }
 *
 *     memset(&core, 0, sizeof core);
 *     core.read = read_word, core.write = write_word, core.context = (void *)0x40000000;
 *     if ((error = xymac_open(&core)) != XYMAC_OK
 *         || (error = xymac_load_program(&core, 0, passes, count)) != XYMAC_OK
 *         || (error = xymac_run(&core, 0, &result)) != XYMAC_OK)
 *         puts(xymac_error_text(error));
 */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function of the driver returns; xymac_error_text is a sentence on it. */
typedef enum {
    XYMAC_OK = 0,
    XYMAC_ERROR_BUS,      /* a function of the bus said that a word was not read or written */
    XYMAC_ERROR_IDENTITY, /* there is no core at this place */
    XYMAC_ERROR_VERSION,  /* there is one that these files do not know */
    XYMAC_ERROR_RANGE,    /* cells, passes or entries that the core does not have */
    XYMAC_ERROR_BUSY,     /* a program runs */
    XYMAC_ERROR_TIMEOUT,  /* a program did not end */
    XYMAC_ERROR_FAULT,    /* a program stopped: the status of the result says why */
    XYMAC_ERROR_TABLES,   /* the core has no tables that can be written */
    XYMAC_ERROR_SIZE,     /* a network was compiled for another size of the core */
    XYMAC_ERROR_FUNCTION, /* a network needs an operation or a reduction that the core lacks */
    XYMAC_ERROR_VALUE,    /* floating point that no element can stand for */
    XYMAC_ERROR_DMA,      /* the core has no DMA, or a DMA of another width */
    XYMAC_ERROR_PLACE,    /* an image must lie at a multiple of 64, within 4 GiB */
    XYMAC_ERROR_LIST,     /* a command list stopped: the result has the command and the status */
    XYMAC_ERROR_INPUT,    /* the core cannot read an input where it lies, only a copy */
    XYMAC_ERROR_ARRAY,    /* an input that the core reads must lie behind the image */
    XYMAC_ERRORS          /* how many there are */
} xymac_error;

/* A core, and how to reach it. Set the first six, and xymac_open finds out the others. */
typedef struct {
    /* Read or write the word at an offset in bytes, a multiple of 4; 0 if that is done. */
    int (*read)(void *context, uint32_t offset, uint32_t *word);
    int (*write)(void *context, uint32_t offset, uint32_t word);
    void *context; /* what they are called with */
    /* Return when the interrupt is raised, 0, or anything else if that takes too long. NULL: STATUS
     * is read until the program has ended. */
    int (*wait)(void *context);
    uint32_t polls; /* how often STATUS is read at most; 0: as long as it takes */
    /* With a DMA: the address at which the core finds `bytes` bytes that the processor finds at
     * `memory`; 0 if there is one. NULL: both have the same addresses. */
    int (*map)(void *context, void *memory, uint32_t bytes, uint32_t *address);
    uint32_t ways, lanes, passes, x_rows, y_rows;
    uint32_t dialects, engine; /* XYMAC_DIALECT_..., XYMAC_ENGINE_... */
    uint32_t functions, features; /* XYMAC_REGISTER_FUNCTIONS, XYMAC_REGISTER_FEATURES */
} xymac_core;

/* How a program ended. */
typedef struct {
    uint32_t state, status;  /* XYMAC_STATE_..., XYMAC_STATUS_... */
    uint32_t field, pass;    /* what stopped it, and where: see the codes of STATUS */
    uint32_t flags;          /* XYMAC_FLAG_... */
    uint32_t counters[XYMAC_COUNTERS]; /* by XYMAC_COUNTER_... */
} xymac_result;

/* How a command list ended. */
typedef struct {
    uint32_t state, status; /* XYMAC_STATE_..., XYMAC_LIST_STATUS_... */
    uint32_t list, entry;   /* first byte of the list; number of the command that ended it, from 0 */
    xymac_result program;   /* the last program; its counters cover the whole list */
} xymac_list_result;

/* What the core notes of a pass that has ended. */
typedef struct {
    uint32_t counters[XYMAC_COUNTERS]; /* when it issued its last step */
    uint32_t written;                  /* the cycle in which its last result was written */
    uint32_t overflow;                 /* 1: a finished sum left the accumulator's range */
} xymac_record;

/* Find out what core there is. Refuses what is none, and one of another version. */
xymac_error xymac_open(xymac_core *core);

/* Words of the address space from an offset in bytes on. */
xymac_error xymac_write_words(const xymac_core *core, uint32_t offset, const uint32_t *words,
                              uint32_t count);
xymac_error xymac_read_words(const xymac_core *core, uint32_t offset, uint32_t *words,
                             uint32_t count);

/* Cells of a memory, XYMAC_MEMORY_X or XYMAC_MEMORY_Y, from cell `first` on. */
xymac_error xymac_write_cells(const xymac_core *core, unsigned memory, uint32_t first,
                              const uint16_t *cells, uint32_t count);
xymac_error xymac_read_cells(const xymac_core *core, unsigned memory, uint32_t first,
                             uint16_t *cells, uint32_t count);

/* Encoded passes, XYMAC_PASS_STRIDE words of 64 bits each, from pass `first` on. */
xymac_error xymac_load_program(const xymac_core *core, uint32_t first, const uint64_t *passes,
                               uint32_t count);

/* Entries of table memory from an even one on. Of an odd count the entry behind becomes 0. */
xymac_error xymac_write_table(const xymac_core *core, uint32_t first, const int16_t *entries,
                              uint32_t count);

/* Let XYMAC_TABLE_... stand for `count` entries from `first` on, which is even; element 0 has the
 * entry `zero` of them. Without entries it stands for nothing. */
xymac_error xymac_place_table(const xymac_core *core, unsigned table, uint32_t first,
                              uint32_t count, int32_t zero);

/* Write the tables that every core has, and their places: call it once before programs of your own
 * where block RAM has no initial values. Networks write the tables that they use by themselves. */
xymac_error xymac_load_tables(const xymac_core *core);

/* Start the program at pass `first`; wait until it has ended; take its result and make the core
 * ready for the next. xymac_run does the three. A result may be NULL. A timeout stops the program:
 * its status is XYMAC_STATUS_STOPPED then, and the core is ready for the next start. */
xymac_error xymac_start(const xymac_core *core, uint32_t first);
xymac_error xymac_wait(const xymac_core *core);
xymac_error xymac_stop(const xymac_core *core); /* end the program that runs */
xymac_error xymac_finish(const xymac_core *core, xymac_result *result);
xymac_error xymac_run(const xymac_core *core, uint32_t first, xymac_result *result);

/* The same for the command list at byte `list` of an image of `bytes` bytes at the core's `address`,
 * in xymac_list.c. After a timeout the result names the oldest command that had not ended. After a
 * list that stopped, constants in the core are undefined. */
xymac_error xymac_start_list(const xymac_core *core, uint32_t address, uint32_t bytes,
                             uint32_t list);
xymac_error xymac_wait_list(const xymac_core *core);
xymac_error xymac_finish_list(const xymac_core *core, xymac_list_result *result);
xymac_error xymac_run_list(const xymac_core *core, uint32_t address, uint32_t bytes, uint32_t list,
                           xymac_list_result *result);
/* As xymac_run_list, for a list that is started. */
xymac_error xymac_end_list(const xymac_core *core, xymac_list_result *result);

/* The record of a pass of the last program; after xymac_finish it is there until the next start. */
xymac_error xymac_read_record(const xymac_core *core, uint32_t pass, xymac_record *record);

/* A sentence on an error, and one on a status of a program or a list; never NULL. */
const char *xymac_error_text(xymac_error error);
const char *xymac_status_text(uint32_t status);
const char *xymac_list_status_text(uint32_t status); /* in xymac_list.c */

#ifdef __cplusplus
}
#endif
