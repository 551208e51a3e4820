#include "CCounters.h"

#if defined(__linux__)
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int tenure_instructions_open(void) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    // What the kernel does meanwhile depends on the machine.
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
}

uint64_t tenure_instructions_read(int counter) {
    uint64_t value = 0;
    return read(counter, &value, sizeof value) == (ssize_t)sizeof value ? value : 0;
}

void tenure_instructions_close(int counter) { close(counter); }
#else
int tenure_instructions_open(void) { return -1; }
uint64_t tenure_instructions_read(int counter) { return 0; }
void tenure_instructions_close(int counter) {}
#endif
