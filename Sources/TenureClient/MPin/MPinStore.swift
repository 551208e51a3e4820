import Foundation

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

/// A store with one file for each user that only its owner may read, like ``FileDeviceKeyStore``.
///
/// The name of a file is a hash of backend and user id.
public struct FileMPinStore: MPinStore {
    private static let maximumBytes = 16_384
    private let directory: String

    /// Creates a store in `directory`, `$XDG_DATA_HOME/tenure/mpin` by default.
    public init(directory: String? = nil) { self.directory = directory ?? DataDirectory.standard() + "/mpin" }

    /// Returns the records of all files.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed`` if a file is damaged, or others
    ///   can read it.
    public func records() async throws -> [MPinRecord] {
        let directory = directory
        return try await Self.guarded {
            guard FileManager.default.fileExists(atPath: directory) else { return [] }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            return try names.compactMap { name in
                guard name.count == 69, name.hasSuffix(".json") else { return nil }
                return try Self.read(directory, String(name.dropLast(5)))
            }
        }
    }

    /// Returns a record, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func record(_ identifier: String) async throws -> MPinRecord? {
        let directory = directory
        return try await Self.guarded { try Self.read(directory, identifier) }
    }

    /// Stores a record. After a crash the file has either the old record or the new one.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func keep(_ record: MPinRecord) async throws {
        let path = Self.path(directory, record.identifier)
        try await Self.guarded { try DeviceFile.replace(path, record.storedBytes) }
    }

    /// Removes the file.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func removeRecord(_ identifier: String) async throws {
        let path = Self.path(directory, identifier)
        try await Self.guarded { try DeviceFile.remove(path) }
    }

    private static func path(_ directory: String, _ identifier: String) -> String { "\(directory)/\(identifier).json" }

    private static func read(_ directory: String, _ identifier: String) throws -> MPinRecord? {
        guard let bytes = try DeviceFile.read(path(directory, identifier), maximumBytes: maximumBytes) else {
            return nil
        }
        guard let record = MPinRecord(storedBytes: bytes), record.identifier == identifier else {
            throw StorageFailure()
        }
        return record
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.storageFailed) }
    }
}
