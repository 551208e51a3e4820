// Made by scripts/embed.
#include "CText.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../Sources/Text/Tables/idna-15.txt"
};
static const unsigned char file_1[] = {
#embed "../../Sources/Text/Tables/unicode-15.txt"
};

static const char *const names[] = {
    "Tables/idna-15.txt",
    "Tables/unicode-15.txt",
};
static const unsigned char *const bytes[] = {
    file_0,
    file_1,
};
static const size_t sizes[] = {
    sizeof file_0,
    sizeof file_1,
};

const size_t text_count = 2;
const char *const *const text_names = names;
const unsigned char *const *const text_bytes = bytes;
const size_t *const text_sizes = sizes;
