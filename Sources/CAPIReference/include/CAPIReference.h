#include <stddef.h>

// Made by scripts/embed. Files, embedded at compile time: names, bytes and sizes by index. They live as long as the
// process.
extern const size_t apireference_count;
extern const char *const *const apireference_names;
extern const unsigned char *const *const apireference_bytes;
extern const size_t *const apireference_sizes;
