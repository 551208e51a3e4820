import Canonical
import Crypto
package import MPinRequests

extension MPinSigningKey {
    /// Reads a key from its file: 64 lower-case hexadecimal digits and a newline, mode 0600.
    ///
    /// - Throws: ``MPinAuthorityError``.
    package init(file path: String) throws(MPinAuthorityError) {
        self.init(try MPinKeyFile.read(path))
    }
}

/// A file with one key of 32 bytes: 64 lower-case hexadecimal digits and a newline, mode 0600.
enum MPinKeyFile {
    static func read(_ path: String) throws(MPinAuthorityError) -> SymmetricKey {
        let text = String(decoding: try MPinPrivateFile.read(path), as: UTF8.self)
        guard text.last == "\n", let bytes = Hex.decode(String(text.dropLast())), bytes.count == 32 else {
            throw MPinAuthorityError(
                .malformed, "\(path) does not hold a key",
                remedy: "A key is 64 lower-case hexadecimal digits and a newline. Make one with: openssl rand -hex 32")
        }
        return SymmetricKey(data: bytes)
    }

    /// Reads the key of a file, or generates one and creates the file. It never overwrites a file.
    static func readOrCreate(_ path: String) throws(MPinAuthorityError) -> SymmetricKey {
        do {
            return try read(path)
        } catch {
            guard error.code == .missing else { throw error }
        }
        let key = SymmetricKey(size: .bits256)
        try MPinPrivateFile.create(path, Array((Hex.encode(key.withUnsafeBytes { Array($0) }) + "\n").utf8))
        return key
    }
}
