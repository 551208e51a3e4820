// Embeds openapi.yaml. The compiler takes 300 KB in less than a second; an array literal in Swift takes minutes.
#include "contract.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "../../openapi.yaml"
};

const unsigned char *const contract_bytes = bytes;
const size_t contract_size = sizeof bytes;
