#ifndef TENURE_ALLOCATION_COUNT_H
#define TENURE_ALLOCATION_COUNT_H

#include <stdint.h>

/// How many times the calling thread has asked for memory since it was started; 0 where the C library is not glibc.
uint64_t tenure_allocation_count(void);

#endif
