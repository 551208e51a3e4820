#include "CCounters.h"

#include <stddef.h>

// The program's own malloc stands before the one of the C library, which has a second name for each of its functions.
#if defined(__GLIBC__)
static __thread uint64_t count;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count += 1;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count += 1;
    return __libc_realloc(old, size);
}

uint64_t tenure_allocation_count(void) { return count; }
bool tenure_counts_allocations(void) { return true; }
#else
uint64_t tenure_allocation_count(void) { return 0; }
bool tenure_counts_allocations(void) { return false; }
#endif
