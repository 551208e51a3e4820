#if canImport(Security)
import Foundation

/// A store in this device's key chain.
public struct KeychainMPinStore: MPinStore {
    private let keychain: Keychain

    /// Creates a store whose items have this `kSecAttrService`.
    public init(service: String = "tenure.mpin") { keychain = Keychain(service: service) }

    /// Returns the records of all items.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func records() async throws -> [MPinRecord] {
        let keychain = keychain
        return try await Self.guarded { try keychain.accounts().compactMap { try Self.read(keychain, $0) } }
    }

    /// Returns a record, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func record(_ identifier: String) async throws -> MPinRecord? {
        let keychain = keychain
        return try await Self.guarded { try Self.read(keychain, identifier) }
    }

    /// Stores a record and replaces an existing one.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func keep(_ record: MPinRecord) async throws {
        let keychain = keychain
        try await Self.guarded { try keychain.replace(record.identifier, Data(record.storedBytes)) }
    }

    /// Removes a record.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func removeRecord(_ identifier: String) async throws {
        let keychain = keychain
        try await Self.guarded { try keychain.remove(identifier) }
    }

    private static func read(_ keychain: Keychain, _ identifier: String) throws -> MPinRecord? {
        guard let data = try keychain.read(identifier) else { return nil }
        guard let record = MPinRecord(storedBytes: Array(data)), record.identifier == identifier else {
            throw StorageFailure()
        }
        return record
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.storageFailed) }
    }
}
#endif
