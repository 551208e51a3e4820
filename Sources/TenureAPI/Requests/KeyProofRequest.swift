public import Canonical

/// The body of `POST /v1/…/{flow}/key`.
public struct KeyProofRequest: Sendable, Equatable, JSONConvertible {
    /// ECDSA with SHA-256 over the challenge, DER or 64 raw bytes; padded base64 on the wire.
    public var keyProof: [UInt8]

    /// Describes a proof.
    public init(keyProof: [UInt8]) { self.keyProof = keyProof }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        keyProof = try reader.base64("keyProof")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { ["keyProof": .base64(keyProof)] }
}
