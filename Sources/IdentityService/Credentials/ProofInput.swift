/// A blinded element.
public struct ElementInput: Sendable, Equatable {
    /// The slot of the sealed copy: 0 to 9 for a subset of the answers, 255 for the passphrase.
    public var slot: Int
    /// The compressed P-384 point, 49 bytes.
    public var element: [UInt8]

    /// Each parameter sets the property of the same name.
    public init(slot: Int, element: [UInt8]) {
        self.slot = slot
        self.element = element
    }
}

/// The proof of a secret in blind mode.
public struct ProofInput: Sendable {
    /// New credentials that the client made.
    public struct Credentials: Sendable {
        /// The record's bytes, version 1, without encrypted texts.
        public var record: [UInt8]
        /// The five questions in the record's order, each with the salt of its commitment.
        public var questions: [(question: QuestionInput, salt: [UInt8])]

        /// Each parameter sets the property of the same name.
        public init(record: [UInt8], questions: [(question: QuestionInput, salt: [UInt8])]) {
            self.record = record
            self.questions = questions
        }
    }

    /// The user key's signature over `tenure/v1/validation` and the challenge that the device signed, DER or raw.
    public var userSignature: [UInt8]
    /// The new credentials, in a set-up.
    public var credentials: Credentials?

    /// Each parameter sets the property of the same name.
    public init(userSignature: [UInt8], credentials: Credentials? = nil) {
        self.userSignature = userSignature
        self.credentials = credentials
    }
}

/// An evaluated element.
public struct Evaluation: Sendable, Equatable {
    /// The slot of the sealed copy: 0 to 9, or 255.
    public var slot: Int
    /// Evaluated element (49) ‖ proof (96).
    public var evaluation: [UInt8]
    /// The sealed copy of the user key in that slot, 60 bytes; `nil` in a set-up, which has none yet.
    public var sealedCopy: [UInt8]?
}
