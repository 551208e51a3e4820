/// What a destruction has left to do before it is complete.
///
/// The rows are gone and their bucket has a new key. The old bucket key lives on, wrapped, in write-ahead logs, dead
/// tuples, replicas and backups of the database, and opens there until the master keys it was wrapped under are gone.
public struct DestroyedKey: Sendable, Equatable {
    /// The bucket of what was destroyed.
    public let bucket: Bucket
    /// The epoch of the key that the bucket has now.
    public internal(set) var epoch: Int
    /// The version of the master keys that the old bucket key was wrapped under last: when this version and all before
    /// it are destroyed, the erasure is complete.
    public let masterVersion: Int
    /// How many rows were deleted; 0 when there was none, which is no error and re-keys nothing.
    public internal(set) var count: Int
    /// How many other keys and seeds of the bucket were wrapped again.
    public internal(set) var rewrapped: Int
}
