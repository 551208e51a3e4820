import Canonical
import Foundation

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

/// A pin store with one file for each account, mode 0600, in a directory that only the owner may read.
///
/// An unreadable file is an error, not a missing pin. Otherwise damaging a file would switch pinning off.
public struct FilePinStore: PinStore {
    private let directory: String

    /// Creates a store in the directory at `path`, `$XDG_DATA_HOME/tenure/pins` by default. The directory is created on
    /// first use.
    public init(path: String? = nil) { directory = path ?? DataDirectory.standard() + "/pins" }

    /// Returns the pin of an account, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file contains no pin.
    public func pin(of account: PinnedAccount) throws -> CredentialPin? {
        let path = path(of: account)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path), data.count <= 4_096,
            let pin = try? CredentialPin(json: CanonicalJSON.parse(Array(data)))
        else { throw TenureClientError(.pinInvalid) }
        return pin
    }

    /// Stores a pin. It writes a temporary file and renames it, so that readers never see a partial pin.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file cannot be written, or an
    ///   error of the file system.
    public func keep(_ pin: CredentialPin, of account: PinnedAccount) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let temporary = path(of: account) + "." + UUID().uuidString
        guard
            files.createFile(
                atPath: temporary, contents: Data(pin.json.canonicalBytes()), attributes: [.posixPermissions: 0o600]),
            rename(temporary, path(of: account)) == 0
        else {
            try? files.removeItem(atPath: temporary)
            throw TenureClientError(.pinInvalid)
        }
    }

    /// Removes a pin.
    ///
    /// - Throws: An error of the file system if the file cannot be removed.
    public func forget(_ account: PinnedAccount) throws {
        guard FileManager.default.fileExists(atPath: path(of: account)) else { return }
        try FileManager.default.removeItem(atPath: path(of: account))
    }

    private func path(of account: PinnedAccount) -> String { directory + "/" + account.name + ".pin" }
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
