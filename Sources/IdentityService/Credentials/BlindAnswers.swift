public import FoundationEssentials

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

/// The data that a client needs to open a credential in blind mode.
public struct BlindChallenge: Sendable, Equatable {
    /// The credential's context, 240 or 289 bytes.
    public var context: [UInt8]
    /// The hash of the credential's record, 32 bytes.
    public var recordHash: [UInt8]
}

/// The values that a flow fixes before credentials are set. The record must repeat them.
public struct CredentialSetUpPlan: Sendable, Equatable {
    /// The new credential's id.
    public var credentialId: UUID
    /// The new user's id.
    public var userId: UUID
    /// The VOPRF key for answers, 49 bytes.
    public var oprfAnswers: [UInt8]
    /// The VOPRF key for the passphrase, 49 bytes.
    public var oprfPassphrase: [UInt8]
    /// The logarithm of scrypt's N, which sets the cost of one guess.
    public var log2N: Int
    /// Scrypt's block size.
    public var r: Int
    /// Scrypt's parallelism.
    public var p: Int
    /// The record that the new one must follow; `nil` for a user's first credentials.
    public var previous: PreviousRecord?

    /// The decisions of a recovery that the new record has to name; `nil` otherwise.
    public var approvals: Approvals?

    /// The hashes of the two events that approved a recovery.
    public struct Approvals: Sendable, Equatable {
        /// The hash of the event that opened it, 32 bytes.
        public var opened: [UInt8]
        /// The hash of the event that confirmed it, 32 bytes.
        public var confirmed: [UInt8]
    }

    /// The record to be replaced.
    public struct PreviousRecord: Sendable, Equatable {
        /// Its hash, 32 bytes.
        public var hash: [UInt8]
        /// Its generation, 1 or more.
        public var generation: Int
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
