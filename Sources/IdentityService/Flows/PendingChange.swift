import Canonical
import Credentials
import FoundationEssentials

/// A change of credentials in blind mode, between the proof of the old secret and the new record.
struct PendingChange: Sendable, Equatable {
    /// The id of the credential to be made.
    var credentialId: UUID
    /// Which secret was right.
    var kind: FlowProof.Kind
    /// The old user key's signature over the flow's challenge, 64 bytes.
    var userSignature: [UInt8]

    init(credentialId: UUID = UUID(), kind: FlowProof.Kind, userSignature: [UInt8]) {
        self.credentialId = credentialId
        self.kind = kind
        self.userSignature = userSignature
    }

    /// The clear form in the flow's row.
    var json: JSONValue {
        .object([
            "credential": .string(credentialId.lowercased), "passphrase": .bool(kind == .passphrase),
            "signature": .string(Base64URL.encode(userSignature)),
        ])
    }

    /// Reads what ``json`` wrote.
    init(reading object: ObjectReader) throws {
        var object = object
        credentialId = try object.uuid("credential")
        kind = try object.bool("passphrase") ? .passphrase : .answers
        userSignature = try object.bytes("signature")
        try object.finish()
    }
}
