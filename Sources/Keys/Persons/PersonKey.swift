public import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The key under which all personal data of one user, or of one employee, is sealed.
///
/// Destroying it is what erases the person: entries stay, and no longer open.
public struct PersonKey: Sendable, Equatable {
    /// The id of the key, which is the id of the user or the employee.
    public let id: UUID
    let key: SecretKey

    /// Makes a key from its parts: what ``PersonKeys`` does after unwrapping, and a test.
    public init(id: UUID, key: SecretKey) {
        self.id = id
        self.key = key
    }

    /// Seals one value of an event.
    ///
    /// AES-256-GCM with a random nonce; the associated data is the ledger's id (16) ‖ the event's id (16) ‖ the JSON
    /// pointer (RFC 6901) of the value within the entry as UTF-8, so that it opens in its place only.
    ///
    /// - Parameter pointer: Such as `/data/email`.
    public func seal(
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

    /// Opens what ``seal(_:ledger:event:pointer:)`` sealed.
    ///
    /// - Throws: ``KeysError/Code/sealMalformed``, and ``KeysError/Code/sealInvalid`` when it is another person's,
    ///   was changed, or is not in its place.
    public func open(_ value: JSONValue, ledger: UUID, event: UUID, pointer: String) throws(KeysError) -> [UInt8] {
        try open(try SealedPersonalData(value), ledger: ledger, event: event, pointer: pointer)
    }

    /// Opens a value that was read already.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    public func open(
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
