public import FoundationEssentials

/// What a client needs to open a credential in blind mode.
public struct CredentialOpening: Sendable, Equatable {
    /// The opening context, 240 or 289 bytes.
    public var context: [UInt8]
    /// The hash of the credential's record, 32 bytes.
    public var recordHash: [UInt8]
}

/// What a flow fixes before credentials are set: a record must repeat it.
public struct CredentialSetUpPlan: Sendable, Equatable {
    /// The new credential's id.
    public var credentialId: UUID
    /// The new user's id.
    public var userId: UUID
    /// The VOPRF key for answers, 49 bytes.
    public var oprfAnswers: [UInt8]
    /// The VOPRF key for the passphrase, 49 bytes.
    public var oprfPassphrase: [UInt8]
    /// The cost of one guess: the logarithm of scrypt's N.
    public var log2N: Int
    /// Scrypt's block size.
    public var r: Int
    /// Scrypt's lanes.
    public var p: Int
    /// What the new record has to follow; `nil` for a user's first credentials.
    public var previous: PreviousRecord?

    /// The decisions of a recovery that the new record has to name; `nil` otherwise.
    public var approvals: Approvals?

    /// The hashes of the two events by which a recovery was approved.
    public struct Approvals: Sendable, Equatable {
        /// Of the event that opened it, 32 bytes.
        public var opened: [UInt8]
        /// Of the event that confirmed it, 32 bytes.
        public var confirmed: [UInt8]
    }

    /// The record that is replaced.
    public struct PreviousRecord: Sendable, Equatable {
        /// Its hash, 32 bytes.
        public var hash: [UInt8]
        /// Its generation, 1 or more.
        public var generation: Int
    }
}

/// One evaluated element.
public struct Evaluation: Sendable, Equatable {
    /// The copy it is for: 0 to 9, or 255.
    public var slot: Int
    /// Evaluated element (49) ‖ proof (96).
    public var evaluation: [UInt8]
    /// The copy of the user key in that slot, 60 bytes; `nil` at set-up, when there is none yet.
    public var sealedCopy: [UInt8]?
}
