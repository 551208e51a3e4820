public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Personal data as it is in an event: `{"k": key id, "c": base64url(nonce ‖ cipher text ‖ tag)}`.
public struct SealedPersonalData: Sendable, Hashable {
    /// The id of the person's key, which is the id of the user or the employee.
    public let key: UUID
    /// Nonce (12) ‖ cipher text ‖ tag (16).
    public let sealed: [UInt8]

    /// Makes a value of its parts.
    public init(key: UUID, sealed: [UInt8]) {
        self.key = key
        self.sealed = sealed
    }

    /// Reads a value, so that the keys of many can be loaded at once before any is opened.
    ///
    /// - Throws: ``KeysError/Code/sealMalformed`` for anything that is not exactly of the form.
    public init(_ json: JSONValue) throws(KeysError) {
        do {
            var reader = try ObjectReader(json)
            key = try reader.uuid("k")
            sealed = try reader.bytes("c")
            try reader.finish()
        } catch {
            throw KeysError(code: .sealMalformed, reason: "a value is not of the form of sealed personal data")
        }
        guard sealed.count >= SealedBytes.overhead else {
            throw KeysError(code: .sealMalformed, reason: "sealed personal data is too short")
        }
    }

    /// The value for an event.
    public var json: JSONValue {
        .object(["k": .string(key.lowercased), "c": .string(Base64URL.encode(sealed))])
    }
}
