// Made by scripts/embed.
#include "CAPIReference.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../Sources/APIReference/style.css"
};
static const unsigned char file_1[] = {
#embed "../../Sources/APIReference/script.js"
};

static const char *const names[] = {
    "style.css",
    "script.js",
};
static const unsigned char *const bytes[] = {
    file_0,
    file_1,
};
static const size_t sizes[] = {
    sizeof file_0,
    sizeof file_1,
};

const size_t apireference_count = 2;
const char *const *const apireference_names = names;
const unsigned char *const *const apireference_bytes = bytes;
const size_t *const apireference_sizes = sizes;
