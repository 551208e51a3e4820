import Canonical
import Crypto
import FoundationEssentials
import MPinCryptography
import MPinRequests

/// The secrets of one D-TA: its master secret and the signing key that it shares with the service.
struct MPinAuthorityKeys: Sendable, Redacted {
    /// The version of the authority file.
    static let version: Int64 = 1

    let master: MPinMasterSecret
    let signing: MPinSigningKey
    private let masterBytes: [UInt8]

    init(masterBytes: [UInt8], signing: MPinSigningKey) throws(MPinAuthorityError) {
        do throws(MPinCryptographyError) {
            master = try MPinMasterSecret(bytes: masterBytes)
        } catch {
            throw MPinAuthorityError(.malformed, "the master secret is not usable")
        }
        self.masterBytes = masterBytes
        self.signing = signing
    }

    /// A new master secret of 32 random bytes.
    static func random(signing: MPinSigningKey) throws(MPinAuthorityError) -> MPinAuthorityKeys {
        let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        return try MPinAuthorityKeys(masterBytes: bytes, signing: signing)
    }

    /// The authority file: JSON with the keys sealed under the key of the key file.
    ///
    /// The sealed bytes are nonce (12) ‖ ciphertext ‖ tag (16) of AES-256-GCM over master (32) ‖ signing key (32). The
    /// associated data names version, suite and id, so none of them can be changed.
    func sealed(under key: SymmetricKey, id: UUID) throws(MPinAuthorityError) -> [UInt8] {
        let data = Self.associatedData(id)
        guard let box = try? AES.GCM.seal(masterBytes + signing.bytes, using: key, authenticating: data),
            let combined = box.combined
        else { throw MPinAuthorityError(.unusable, "the cipher refused to seal the keys") }
        let file: JSONValue = [
            "version": .integer(Self.version), "suite": .string(MPinSuite.bls12381AMCL3SHA256.rawValue),
            "id": .string(id.lowercased), "sealed": .string(Base64.encode(combined)),
        ]
        return file.canonicalBytes() + [UInt8(ascii: "\n")]
    }

    /// Opens the authority file of ``sealed(under:id:)``.
    ///
    /// - Parameter path: The path of the file, for errors.
    /// - Throws: ``MPinAuthorityError/Code/malformed``, ``MPinAuthorityError/Code/versionUnknown``,
    ///   ``MPinAuthorityError/Code/keyForeign``.
    init(opening file: [UInt8], under key: SymmetricKey, path: String) throws(MPinAuthorityError) {
        let (id, sealed) = try Self.parse(file, path)
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let clear = try? AES.GCM.open(box, using: key, authenticating: Self.associatedData(id)),
            clear.count == MPinMasterSecret.byteCount + MPinSigningKey.byteCount,
            let signing = MPinSigningKey(bytes: Array(clear.suffix(MPinSigningKey.byteCount)))
        else {
            throw MPinAuthorityError(
                .keyForeign, "the key file does not open \(path)",
                remedy: "Name the key file of this D-TA with --key-file, or restore both files from one backup.")
        }
        try self.init(masterBytes: Array(clear.prefix(MPinMasterSecret.byteCount)), signing: signing)
    }

    private static func parse(
        _ file: [UInt8], _ path: String
    ) throws(MPinAuthorityError) -> (id: UUID, sealed: [UInt8]) {
        do throws(JSONError) {
            var reader = try ObjectReader(try StrictJSON.parse(file))
            let version = try reader.integer("version")
            // A later version may have other members, so nothing else is read before the version is known.
            guard version == Self.version else {
                throw JSONError(code: .invalidValue, pointer: "/version", reason: "unknown")
            }
            let suite = try reader.string("suite")
            let id = try reader.uuid("id")
            let sealed = Base64.decode(try reader.string("sealed"))
            try reader.finish()
            guard suite == MPinSuite.bls12381AMCL3SHA256.rawValue, let sealed else {
                throw JSONError(code: .invalidValue, pointer: "", reason: "an unknown suite or no base64")
            }
            return (id, sealed)
        } catch {
            guard error.pointer == "/version", error.code == .invalidValue else {
                throw MPinAuthorityError(
                    .malformed, "\(path) is not an authority file", remedy: "Restore it from a backup.")
            }
            throw MPinAuthorityError(
                .versionUnknown, "\(path) has a version that this program does not know",
                remedy: "Use the version of tenure that wrote it, or a later one.")
        }
    }

    private static func associatedData(_ id: UUID) -> [UInt8] {
        let suite = MPinSuite.bls12381AMCL3SHA256.rawValue
        return Array("tenure/v1/mpin-dta-file\n\(version)\n\(suite)\n\(id.lowercased)".utf8)
    }
}
