import Canonical
public import Credentials
import Foundation

/// A device key in a file that only its owner may read: 32 bytes in lower-case hex and a newline, mode 0600.
public enum FileDeviceKey {
    /// Reads the key at `path`, or makes one there when the file does not exist.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid`` when others may read the file or
    ///   it holds no key; nothing is overwritten.
    public static func loadOrCreate(at path: String) throws -> EmployeeKey {
        if FileManager.default.fileExists(atPath: path) { return try load(at: path) }
        let key = try EmployeeKey.generate()
        let text = Hex.encode(key.privateBytes) + "\n"
        // Made beside and then linked into place, so that nobody ever sees half a key and no key is replaced.
        let temporary = path + "." + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        guard
            FileManager.default.createFile(
                atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw TenureClientError(.keyFileInvalid) }
        do { try FileManager.default.linkItem(atPath: temporary, toPath: path) } catch { return try load(at: path) }
        return key
    }

    /// Reads the key at `path`.
    public static func load(at path: String) throws -> EmployeeKey {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? NSNumber, mode.intValue & 0o077 == 0,
            let size = attributes[.size] as? NSNumber, size.intValue <= 128,
            let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8),
            let bytes = Hex.decode(text.hasSuffix("\n") ? String(text.dropLast()) : text),
            let key = try? EmployeeKey(privateBytes: bytes)
        else { throw TenureClientError(.keyFileInvalid) }
        return key
    }
}
