#include <stddef.h>

// Made by scripts/embed. Files, embedded at compile time: names, bytes and sizes by index. They live as long as the
// process.
extern const size_t identityservice_count;
extern const char *const *const identityservice_names;
extern const unsigned char *const *const identityservice_bytes;
extern const size_t *const identityservice_sizes;
