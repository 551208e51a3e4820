#ifndef TENURE_COUNTERS_H
#define TENURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/// How many times the calling thread has asked for memory since it was started; 0 where the C library is not glibc.
uint64_t tenure_allocation_count(void);

/// Whether allocations are counted here.
bool tenure_counts_allocations(void);

/// Starts to count the instructions of the calling thread outside the kernel. A descriptor to read and to close, or -1
/// where the processor or the system does not tell.
int tenure_instructions_open(void);

/// The instructions since the counter was opened; 0 when it cannot be read.
uint64_t tenure_instructions_read(int counter);

/// Ends a counter.
void tenure_instructions_close(int counter);

#endif
