/// Stores the users of M-Pin on this device, one record for each backend and user id.
///
/// A store must be private to the app: whoever has a token needs only the PIN, of which the service permits few guesses.
public protocol MPinStore: Sendable {
    /// Returns all records, of all backends.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``, or an error of the
    ///   implementation.
    func records() async throws -> [MPinRecord]
    /// Returns the record with this ``MPinRecord/identifier``; `nil` if there is none.
    ///
    /// - Throws: As ``records()``.
    func record(_ identifier: String) async throws -> MPinRecord?
    /// Stores a record and replaces an existing one. After a crash the store has either the old one or the new one.
    ///
    /// - Throws: As ``records()``.
    func keep(_ record: MPinRecord) async throws
    /// Removes a record. Succeeds if there is none.
    ///
    /// - Throws: As ``records()``.
    func removeRecord(_ identifier: String) async throws
}

/// A store in memory, for tests.
public actor MemoryMPinStore: MPinStore {
    private var all: [String: MPinRecord] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns all records.
    public func records() -> [MPinRecord] { Array(all.values) }
    /// Returns a record, or `nil` if there is none.
    public func record(_ identifier: String) -> MPinRecord? { all[identifier] }
    /// Stores a record.
    public func keep(_ record: MPinRecord) { all[record.identifier] = record }
    /// Removes a record.
    public func removeRecord(_ identifier: String) { all[identifier] = nil }
}

/// The default store of a platform: the key chain on Apple platforms, files elsewhere.
public enum PlatformMPinStore {
    /// Returns the default store.
    public static func standard() -> any MPinStore {
        #if canImport(Security)
        KeychainMPinStore()
        #else
        FileMPinStore()
        #endif
    }
}
