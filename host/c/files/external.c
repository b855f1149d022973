// SPDX-License-Identifier: Apache-2.0
#if XYMAC_EXTERNAL_FORMAT != 4
#error "The driver is of another version than this image"
#endif

/* The bytes of image.bin: below, or linked as the symbol XYMAC_CONTENT. With XYMAC_IN_PLACE they lie
 * at XYMAC_MEMORY before the program starts, with XYMAC_IN_ARRAY the array below is their place. */
#if defined(XYMAC_IN_ARRAY) \
    && (defined(XYMAC_IN_PLACE) || defined(XYMAC_MEMORY) || defined(XYMAC_CONTENT))
#error "XYMAC_IN_ARRAY goes with no other place"
#elif defined(XYMAC_IN_PLACE) && !defined(XYMAC_MEMORY)
#error "XYMAC_IN_PLACE needs XYMAC_MEMORY, the address of the image"
#elif defined(XYMAC_IN_PLACE)
#define CONTENT NULL
#elif defined(XYMAC_CONTENT)
extern const uint8_t XYMAC_CONTENT[];
#define CONTENT XYMAC_CONTENT
#else
#ifdef XYMAC_IN_ARRAY
#define CONTENT NULL
#define CONTENT_IS static XYMAC_ALIGNED
#else
#define CONTENT @NAME@_content
#define CONTENT_IS static const
#endif
@CONTENT@
#endif

/* The memory of the image: at the address XYMAC_MEMORY, or an array. */
#if defined(XYMAC_IN_ARRAY)
#define MEMORY @NAME@_content
#elif defined(XYMAC_MEMORY)
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

@LOADS@

static const xymac_range @NAME@_ranges[] = {
@RANGES@
};

@PLACED@
xymac_image @NAME@_image = {MEMORY, CONTENT, 0u, @PLACEDS@, 0u};

const xymac_external @NAME@ = {
    &@NAME@_before, &@NAME@_after, &@NAME@_image,
    @DMA@, @BYTES@, @LISTS@,
    @NAME@_ranges, @COUNTS@
};
