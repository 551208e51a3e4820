// The requests that a program makes of memcheck, as functions, because Swift imports no macros with statements.
#include <stddef.h>
#include <valgrind/memcheck.h>

// Whether memcheck watches this process.
static inline int memcheck_is_running(void) { return RUNNING_ON_VALGRIND != 0; }

// From here on every branch and every address that depends on these bytes is reported.
static inline void memcheck_hide(void *start, size_t count) { (void)VALGRIND_MAKE_MEM_UNDEFINED(start, count); }

// Ends the watch over these bytes.
static inline void memcheck_show(void *start, size_t count) { (void)VALGRIND_MAKE_MEM_DEFINED(start, count); }

// How many reports there were until now.
static inline unsigned memcheck_reports(void) { return (unsigned)VALGRIND_COUNT_ERRORS; }
