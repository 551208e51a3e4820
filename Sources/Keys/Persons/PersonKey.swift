package import Canonical
import Crypto
package import FoundationEssentials

/// The key that encrypts all personal data of one user, or of one employee.
///
/// Destroying it erases the person (crypto-shredding): entries stay, but can no longer be decrypted.
package struct PersonKey: Sendable, Equatable {
    /// The id of the key, which is also the user's or the employee's id.
    package let id: UUID
    let key: SecretKey

    /// A key with its id, as ``PersonKeys`` unwraps it.
    package init(id: UUID, key: SecretKey) {
        self.id = id
        self.key = key
    }

    /// Encrypts one value of an event.
    ///
    /// The cipher is AES-256-GCM with a random nonce. The associated data is the ledger's id (16) ‖ the event's id (16)
    /// ‖ the JSON pointer (RFC 6901) of the value within the entry as UTF-8, so the value can be decrypted only in its
    /// place.
    ///
    /// - Parameter pointer: Such as `/data/email`.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func seal(
        _ text: [UInt8], ledger: UUID, event: UUID, pointer: String
    ) throws(KeysError) -> JSONValue {
        try seal(text, ledger: ledger, event: event, pointer: pointer, nonce: AES.GCM.Nonce())
    }

    func seal(
        _ text: [UInt8], ledger: UUID, event: UUID, pointer: String, nonce: AES.GCM.Nonce
    ) throws(KeysError) -> JSONValue {
        let place = Self.place(ledger, event, pointer)
        let sealed = try SealedBytes.seal(text, under: key.symmetric, authenticating: place, nonce: nonce)
        return SealedPersonalData(key: id, sealed: sealed).json
    }

    /// Decrypts the result of ``seal(_:ledger:event:pointer:)``.
    ///
    /// - Throws: ``KeysError/Code/sealMalformed``, and ``KeysError/Code/sealInvalid`` if the value is another person's,
    ///   was changed, or is not in its place.
    package func open(_ value: JSONValue, ledger: UUID, event: UUID, pointer: String) throws(KeysError) -> [UInt8] {
        try open(try SealedPersonalData(value), ledger: ledger, event: event, pointer: pointer)
    }

    /// Decrypts a value that was already parsed.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    package func open(
        _ data: SealedPersonalData, ledger: UUID, event: UUID, pointer: String
    ) throws(KeysError) -> [UInt8] {
        let place = Self.place(ledger, event, pointer)
        guard data.key == id, let text = SealedBytes.open(data.sealed, under: key.symmetric, authenticating: place)
        else { throw KeysError(code: .sealInvalid, reason: "sealed personal data does not open") }
        return text
    }

    private static func place(_ ledger: UUID, _ event: UUID, _ pointer: String) -> [UInt8] {
        ledger.bytes + event.bytes + Array(pointer.utf8)
    }
}

extension PersonKey {
    /// Encrypts bytes that are not a value of an event, such as a question's text with its salt.
    ///
    /// The cipher is AES-256-GCM with a random nonce: nonce (12) ‖ ciphertext ‖ tag (16), 28 bytes longer than the
    /// plaintext. The associated data is `tenure/v1/sealed-bytes`, a newline, and the caller's data. No place of an
    /// event begins with these bytes, because they are not the id of a ledger.
    ///
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func seal(bytes clear: [UInt8], authenticating data: [UInt8]) throws(KeysError) -> [UInt8] {
        try seal(bytes: clear, authenticating: data, nonce: AES.GCM.Nonce())
    }

    func seal(
        bytes clear: [UInt8], authenticating data: [UInt8], nonce: AES.GCM.Nonce
    ) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: key.symmetric, authenticating: Self.tagged(data), nonce: nonce)
    }

    /// Decrypts the result of ``seal(bytes:authenticating:)``.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    package func open(bytes sealed: [UInt8], authenticating data: [UInt8]) throws(KeysError) -> [UInt8] {
        guard let clear = SealedBytes.open(sealed, under: key.symmetric, authenticating: Self.tagged(data)) else {
            throw KeysError(code: .sealInvalid, reason: "sealed bytes do not open")
        }
        return clear
    }

    private static func tagged(_ data: [UInt8]) -> [UInt8] { Array("tenure/v1/sealed-bytes\n".utf8) + data }
}

/// Encrypted personal data in an event: `{"k": key id, "c": base64url(nonce ‖ ciphertext ‖ tag)}`.
package struct SealedPersonalData: Sendable, Hashable {
    /// The id of the person key, which is also the user's or the employee's id.
    package let key: UUID
    /// Nonce (12) ‖ ciphertext ‖ tag (16).
    package let sealed: [UInt8]

    /// A value with its parts.
    package init(key: UUID, sealed: [UInt8]) {
        self.key = key
        self.sealed = sealed
    }

    /// Parses a value without decrypting it, so that many keys can be loaded at once.
    ///
    /// - Throws: ``KeysError/Code/sealMalformed`` for any other form.
    package init(_ json: JSONValue) throws(KeysError) {
        do {
            var reader = try ObjectReader(json)
            key = try reader.uuid("k")
            sealed = try reader.bytes("c")
            try reader.finish()
        } catch {
            throw KeysError(code: .sealMalformed, reason: "a value does not have the form of sealed personal data")
        }
        guard sealed.count >= SealedBytes.overhead else {
            throw KeysError(code: .sealMalformed, reason: "sealed personal data is too short")
        }
    }

    package var json: JSONValue {
        .object(["k": .string(key.lowercased), "c": .string(Base64URL.encode(sealed))])
    }
}
