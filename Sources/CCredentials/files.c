// Made by scripts/embed.
#include "CCredentials.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../Sources/Credentials/Questions/questions-1.tsv"
};
static const unsigned char file_1[] = {
#embed "../../Sources/Credentials/Strength/common-passphrases-10000.txt"
};

static const char *const names[] = {
    "Questions/questions-1.tsv",
    "Strength/common-passphrases-10000.txt",
};
static const unsigned char *const bytes[] = {
    file_0,
    file_1,
};
static const size_t sizes[] = {
    sizeof file_0,
    sizeof file_1,
};

const size_t credentials_count = 2;
const char *const *const credentials_names = names;
const unsigned char *const *const credentials_bytes = bytes;
const size_t *const credentials_sizes = sizes;
