import Canonical
import Foundation

/// Pins in a directory that only its owner may read: one file for each account, mode 0600.
///
/// A file that cannot be read is an error and never "no pin": otherwise who spoils a file would switch pinning off.
public struct FilePinStore: PinStore {
    private let directory: String

    /// Keeps pins in the directory at `path`, which is made when it is first needed; `$XDG_DATA_HOME/tenure/pins` by
    /// default.
    public init(path: String? = nil) { directory = path ?? DataDirectory.standard() + "/pins" }

    /// The pin of an account, when there is one.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` when the file holds none.
    public func pin(of account: PinnedAccount) throws -> CredentialPin? {
        let path = path(of: account)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path), data.count <= 4_096,
            let pin = try? CredentialPin(json: CanonicalJSON.parse(Array(data)))
        else { throw TenureClientError(.pinInvalid) }
        return pin
    }

    /// Keeps a pin: written beside and renamed into place, so that nobody ever reads half of one.
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

    /// Forgets a pin.
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
