/// One blinded element.
public struct ElementInput: Sendable, Equatable {
    /// The copy it is for: 0 to 9 for a subset of the answers, 255 for the passphrase.
    public var slot: Int
    /// The compressed P-384 point, 49 bytes.
    public var element: [UInt8]

    /// Describes an element.
    public init(slot: Int, element: [UInt8]) {
        self.slot = slot
        self.element = element
    }
}

/// What proves a secret in blind mode.
public struct ProofInput: Sendable {
    /// New credentials, as the client made them.
    public struct Credentials: Sendable {
        /// The record's bytes, version 1, without encrypted texts.
        public var record: [UInt8]
        /// The five questions in the record's order, each with the salt of its commitment.
        public var questions: [(question: String, salt: [UInt8])]

        /// Describes new credentials.
        public init(record: [UInt8], questions: [(question: String, salt: [UInt8])]) {
            self.record = record
            self.questions = questions
        }
    }

    /// The user key's signature over `tenure/v1/validation` and the challenge that the device signed, DER or raw.
    public var userSignature: [UInt8]
    /// The new credentials, at set-up.
    public var credentials: Credentials?

    /// Describes a proof.
    public init(userSignature: [UInt8], credentials: Credentials? = nil) {
        self.userSignature = userSignature
        self.credentials = credentials
    }
}
