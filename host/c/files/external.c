// SPDX-License-Identifier: Apache-2.0
#if XYMAC_EXTERNAL_FORMAT != 2
#error "The driver is of another version than this image"
#endif

/* The bytes of image.bin: below, or linked as the symbol XYMAC_CONTENT. With XYMAC_IN_PLACE they lie
 * at XYMAC_MEMORY before the program starts. */
#if defined(XYMAC_IN_PLACE) && !defined(XYMAC_MEMORY)
#error "XYMAC_IN_PLACE needs XYMAC_MEMORY, the address of the image"
#elif defined(XYMAC_IN_PLACE)
#define CONTENT NULL
#elif defined(XYMAC_CONTENT)
extern const uint8_t XYMAC_CONTENT[];
#define CONTENT XYMAC_CONTENT
#else
#define CONTENT @NAME@_content
@CONTENT@
#endif

/* The memory of the image: at the address XYMAC_MEMORY, or an array. */
#ifdef XYMAC_MEMORY
#define MEMORY ((uint8_t *)(uintptr_t)XYMAC_MEMORY)
#else
#define MEMORY @NAME@_memory
static uint8_t @NAME@_memory[@BYTES@] XYMAC_ALIGNED;
#endif

@ARRAYS@

static const xymac_value @NAME@_values[] = {
@VALUES@
};

static const xymac_step @NAME@_reset_steps[] = {
@RESET@
};

static const xymac_step @NAME@_before_steps[] = {
@BEFORE@
};

static const xymac_step @NAME@_after_steps[] = {
@AFTER@
};

static const xymac_network @NAME@_before = {
    "@TITLE@",
    @CORE@,
    @NAME@_values, @NAME@_reset_steps, @NAME@_before_steps,
    @BEFORES@
};

static const xymac_network @NAME@_after = {
    "@TITLE@",
    @CORE@,
    @NAME@_values, @NAME@_reset_steps, @NAME@_after_steps,
    @AFTERS@
};

static const xymac_range @NAME@_ranges[] = {
@RANGES@
};

xymac_image @NAME@_image = {MEMORY, CONTENT, 0u};

const xymac_external @NAME@ = {
    &@NAME@_before, &@NAME@_after, &@NAME@_image,
    @DMA@, @BYTES@, @LISTS@,
    @NAME@_ranges, @COUNTS@
};
