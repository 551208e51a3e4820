import Canonical
import Crypto
import FoundationEssentials
import MPinRequests

/// The directory of one D-TA, mode 0700 with files of mode 0600.
///
/// | file | content |
/// |---|---|
/// | `authority.json` | the master secret and the signing key, sealed under the sealing key |
/// | `sealing.key` | the sealing key, unless it has another place |
/// | `signing.key` | the signing key for the service, unless it has another place; read at the creation only |
/// | `issued` | the identities for which a share was issued |
package struct MPinAuthorityDirectory: Sendable {
    package let path: String
    /// The file of the key that seals the D-TA's keys.
    package let keyFile: String

    /// A directory; nothing is read or written yet.
    ///
    /// - Parameter keyFile: The file of the sealing key. Default: `sealing.key` in the directory.
    package init(path: String, keyFile: String? = nil) {
        self.path = path
        self.keyFile = keyFile ?? path + "/sealing.key"
    }

    private var authorityFile: String { path + "/authority.json" }
    private var issuedFile: String { path + "/issued" }

    /// Whether the directory holds a D-TA, or a file that would be one.
    package var exists: Bool { FileManager.default.fileExists(atPath: authorityFile) }

    /// Generates the keys of a new D-TA and writes its files.
    ///
    /// Key files that exist are used as they are. Nothing is overwritten, so an interrupted call can be repeated.
    ///
    /// - Parameter signingKeyFile: The file of the signing key, which is created if there is none. Default:
    ///   `signing.key` in the directory.
    /// - Returns: The path of the signing key's file.
    /// - Throws: ``MPinAuthorityError/Code/exists`` if the directory holds a D-TA, and others.
    @discardableResult
    package func create(signingKeyFile: String? = nil) throws(MPinAuthorityError) -> String {
        try MPinPrivateFile.prepareDirectory(path, creates: true)
        guard !exists else {
            throw MPinAuthorityError(
                .exists, "\(path) holds a D-TA, which is never overwritten",
                remedy: "Use it as it is, or name another directory. Its keys end with its files.")
        }
        let signingKeyFile = signingKeyFile ?? path + "/signing.key"
        let sealing = try MPinKeyFile.readOrCreate(keyFile)
        let signing = MPinSigningKey(try MPinKeyFile.readOrCreate(signingKeyFile))
        let keys = try MPinAuthorityKeys.random(signing: signing)
        do {
            try MPinPrivateFile.create(issuedFile, [])
        } catch {
            guard error.code == .exists else { throw error }
        }
        // Last, because this file makes the directory a D-TA.
        try MPinPrivateFile.create(authorityFile, try keys.sealed(under: sealing, id: .random()))
        return signingKeyFile
    }

    /// Opens the D-TA and locks it against other processes until the issuer is released.
    ///
    /// - Throws: ``MPinAuthorityError``, whose remedy names what to do.
    package func open() throws(MPinAuthorityError) -> MPinKeyIssuer { try open(now: { .now() }) }

    /// Opens the D-TA with a clock of the caller.
    func open(now: @escaping @Sendable () -> Timestamp) throws(MPinAuthorityError) -> MPinKeyIssuer {
        try MPinPrivateFile.prepareDirectory(path, creates: false)
        let file = try required(authorityFile, remedy: "Create the D-TA: tenure dta init --directory '\(path)'")
        let key: SymmetricKey
        do throws(MPinAuthorityError) {
            key = try MPinKeyFile.read(keyFile)
        } catch {
            guard error.code == .missing else { throw error }
            throw MPinAuthorityError(
                .missing, error.reason, remedy: "Name the file of the sealing key with --key-file, or restore it.")
        }
        let keys = try MPinAuthorityKeys(opening: file, under: key, path: authorityFile)
        return MPinKeyIssuer(keys: keys, issued: try MPinIssuedIdentities(path: issuedFile), now: now)
    }

    private func required(_ path: String, remedy: String) throws(MPinAuthorityError) -> [UInt8] {
        do throws(MPinAuthorityError) {
            return try MPinPrivateFile.read(path)
        } catch {
            guard error.code == .missing else { throw error }
            throw MPinAuthorityError(.missing, error.reason, remedy: remedy)
        }
    }
}
