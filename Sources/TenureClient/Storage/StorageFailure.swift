/// What the system refused to keep or give back, or what was found instead of something private.
struct StorageFailure: Error {}
