import Canonical

/// A statement with an admin's signature over it; both members stand in the body of the decision itself.
public struct StatementSignature: Sendable, Equatable {
    /// The exact bytes that were signed; padded base64 on the wire.
    public var statement: [UInt8]
    /// ECDSA with SHA-256 over the statement, DER or 64 raw bytes; padded base64 on the wire.
    public var signature: [UInt8]

    /// Pairs a statement with its signature.
    public init(statement: [UInt8], signature: [UInt8]) {
        self.statement = statement
        self.signature = signature
    }

    /// Reads the two members, which come together or not at all.
    static func read(from reader: inout ObjectReader) throws(JSONError) -> StatementSignature? {
        let statement = try reader.optionalBase64("statement")
        let signature = try reader.optionalBase64("signature")
        switch (statement, signature) {
        case (nil, nil): return nil
        case (let statement?, let signature?): return StatementSignature(statement: statement, signature: signature)
        case (nil, _): throw reader.invalid("statement", "a signature needs the statement that it signs")
        case (_, nil): throw reader.invalid("signature", "a statement needs a signature")
        }
    }
}
