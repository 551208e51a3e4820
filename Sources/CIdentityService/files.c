// Made by scripts/embed.
#include "CIdentityService.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../Sources/IdentityService/Mail/Words/english.words"
};
static const unsigned char file_1[] = {
#embed "../../Sources/IdentityService/Mail/Words/french.words"
};
static const unsigned char file_2[] = {
#embed "../../Sources/IdentityService/Mail/Words/german.words"
};

static const char *const names[] = {
    "Words/english.words",
    "Words/french.words",
    "Words/german.words",
};
static const unsigned char *const bytes[] = {
    file_0,
    file_1,
    file_2,
};
static const size_t sizes[] = {
    sizeof file_0,
    sizeof file_1,
    sizeof file_2,
};

const size_t identityservice_count = 3;
const char *const *const identityservice_names = names;
const unsigned char *const *const identityservice_bytes = bytes;
const size_t *const identityservice_sizes = sizes;
