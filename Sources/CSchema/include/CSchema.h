#include <stddef.h>

// Made by scripts/embed. Files, embedded at compile time: names, bytes and sizes by index. They live as long as the
// process.
extern const size_t schema_count;
extern const char *const *const schema_names;
extern const unsigned char *const *const schema_bytes;
extern const size_t *const schema_sizes;
