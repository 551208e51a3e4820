#ifndef TENURE_CONTRACT_H
#define TENURE_CONTRACT_H

#include <stddef.h>

// The bytes of openapi.yaml, and how many there are. They are embedded at compile time and live as long as the process.
extern const unsigned char *const contract_bytes;
extern const size_t contract_size;

#endif
