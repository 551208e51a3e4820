import Canonical

/// Stores this device's pins, one for each account.
public protocol PinStore: Sendable {
    /// Returns the pin of an account, or `nil` if there is none.
    ///
    /// - Throws: An error if the pin cannot be read. A pin that cannot be read is not a missing pin.
    func pin(of account: PinnedAccount) async throws -> CredentialPin?
    /// Stores a pin and replaces an existing one.
    ///
    /// - Throws: An error if the pin cannot be written.
    func keep(_ pin: CredentialPin, of account: PinnedAccount) async throws
    /// Removes a pin. The next credential that the service shows is then pinned without a question. To accept one
    /// specific credential instead of the pinned one, use ``UnfamiliarCredentials``.
    ///
    /// - Throws: An error if the pin cannot be removed.
    func forget(_ account: PinnedAccount) async throws
}

/// A pin store in memory, for tests and short-lived programs.
public actor MemoryPinStore: PinStore {
    private var pins: [PinnedAccount: CredentialPin] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns the pin of an account, or `nil` if there is none.
    public func pin(of account: PinnedAccount) -> CredentialPin? { pins[account] }

    /// Stores a pin.
    public func keep(_ pin: CredentialPin, of account: PinnedAccount) { pins[account] = pin }

    /// Removes a pin.
    public func forget(_ account: PinnedAccount) { pins[account] = nil }
}

/// A pin store with one file for each account that only its owner may read, like ``FileDeviceKeyStore``.
///
/// An unreadable file is an error, not a missing pin. Otherwise damaging a file would switch pinning off.
public struct FilePinStore: PinStore {
    private static let maximumBytes = 4_096
    private let directory: String

    /// Creates a store in the directory at `path`, `$XDG_DATA_HOME/tenure/pins` by default. The directory is created on
    /// first use.
    public init(path: String? = nil) { directory = path ?? DataDirectory.standard() + "/pins" }

    /// Returns the pin of an account, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file contains no pin, is
    ///   accessible to others, belongs to another user or is a link.
    public func pin(of account: PinnedAccount) async throws -> CredentialPin? {
        let path = path(of: account)
        return try await Self.guarded {
            try DeviceFile.read(path, maximumBytes: Self.maximumBytes)
                .map { try CredentialPin(json: CanonicalJSON.parse($0)) }
        }
    }

    /// Stores a pin. After a crash the file has either the old pin or the new one.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file cannot be written.
    public func keep(_ pin: CredentialPin, of account: PinnedAccount) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.replace(path, pin.json.canonicalBytes()) }
    }

    /// Removes a pin.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file cannot be removed.
    public func forget(_ account: PinnedAccount) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.remove(path) }
    }

    private func path(of account: PinnedAccount) -> String { directory + "/" + account.name + ".pin" }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.pinInvalid) }
    }
}

extension CredentialPin {
    var json: JSONValue {
        [
            "tenant": .uuid(tenant), "credential": .uuid(credentialId),
            "record": .string(Base64URL.encode(recordHash)), "context": .string(Base64URL.encode(contextHash)),
        ]
    }

    init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        self.init(
            tenant: try reader.uuid("tenant"), credentialId: try reader.uuid("credential"),
            recordHash: try reader.bytes("record"), contextHash: try reader.bytes("context"))
        try reader.finish()
    }
}
