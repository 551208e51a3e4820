public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The parameters that a flow fixes before a client sets credentials in blind mode. The record must repeat them.
public struct SetUpPlanResponse: Sendable, Equatable, ResponseObject {
    /// The new credential's id.
    public var credentialId: UUID
    /// The new user's id.
    public var userId: UUID
    /// The VOPRF key for answers, 49 bytes.
    public var oprfAnswers: [UInt8]
    /// The VOPRF key for the passphrase, 49 bytes.
    public var oprfPassphrase: [UInt8]
    /// The parameters of scrypt.
    public var kdf: Scrypt
    /// The record that the new record replaces, or `nil` for a user's first credentials.
    public var previous: Previous?
    /// The approvals of a recovery that the new record must name, or `nil` outside a recovery.
    public var approvals: Approvals?

    package init(
        credentialId: UUID, userId: UUID, oprfAnswers: [UInt8], oprfPassphrase: [UInt8], kdf: Scrypt,
        previous: Previous? = nil, approvals: Approvals? = nil
    ) {
        self.credentialId = credentialId
        self.userId = userId
        self.oprfAnswers = oprfAnswers
        self.oprfPassphrase = oprfPassphrase
        self.kdf = kdf
        self.previous = previous
        self.approvals = approvals
    }

    /// The members on the wire.
    public static let members = WireMembers<SetUpPlanResponse>(
        "SetUpPlanResponse", SetUpPlanResponse.init, Member("credentialId", \.credentialId),
        Member("userId", \.userId), Member("oprfAnswers", \.oprfAnswers, .base64),
        Member("oprfPassphrase", \.oprfPassphrase, .base64), Member("kdf", \.kdf),
        Member(optional: "previous", \.previous), Member(optional: "approvals", \.approvals))

    /// The parameters of scrypt (RFC 7914).
    public struct Scrypt: Sendable, Equatable, ResponseObject {
        /// The base-2 logarithm of the cost parameter N.
        public var log2N: Int64
        /// The block size r.
        public var r: Int64
        /// The parallelization p.
        public var p: Int64

        package init(log2N: Int64, r: Int64, p: Int64) {
            self.log2N = log2N
            self.r = r
            self.p = p
        }

        /// The members on the wire.
        public static let members = WireMembers<Scrypt>(
            "SetUpPlanResponse.Scrypt", Scrypt.init, Member("log2N", \.log2N, .number()), Member("r", \.r, .number()),
            Member("p", \.p, .number()))
    }

    /// The hashes of the two events by which a recovery was approved.
    public struct Approvals: Sendable, Equatable, ResponseObject {
        /// The hash of the event that opened the recovery, 32 bytes.
        public var opened: [UInt8]
        /// The hash of the event that confirmed the recovery, 32 bytes.
        public var confirmed: [UInt8]

        package init(opened: [UInt8], confirmed: [UInt8]) {
            self.opened = opened
            self.confirmed = confirmed
        }

        /// The members on the wire.
        public static let members = WireMembers<Approvals>(
            "SetUpPlanResponse.Approvals", Approvals.init, Member("opened", \.opened, .base64),
            Member("confirmed", \.confirmed, .base64))
    }

    /// The record that the new record replaces.
    public struct Previous: Sendable, Equatable, ResponseObject {
        /// The hash of the record, 32 bytes.
        public var recordHash: [UInt8]
        /// The generation of the record, from 1.
        public var generation: Int64

        package init(recordHash: [UInt8], generation: Int64) {
            self.recordHash = recordHash
            self.generation = generation
        }

        /// The members on the wire.
        public static let members = WireMembers<Previous>(
            "SetUpPlanResponse.Previous", Previous.init, Member("recordHash", \.recordHash, .base64),
            Member("generation", \.generation, .number()))
    }
}

/// The rules that new credentials must satisfy.
public struct CredentialRulesResponse: Sendable, Equatable, ResponseObject {
    /// The number of questions.
    public var questions: Int64
    /// The minimum length of a passphrase in code points.
    public var passphraseMinimumLength: Int64
    /// Whether a user with a passphrase may choose to answer the questions instead.
    public var questionsWithPassphraseAllowed: Bool
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether the app lets users choose questions that are not in the published list.
    public var customQuestionsAllowed: Bool

    package init(
        questions: Int64, passphraseMinimumLength: Int64, questionsWithPassphraseAllowed: Bool, blindOnly: Bool,
        customQuestionsAllowed: Bool = false
    ) {
        self.questions = questions
        self.passphraseMinimumLength = passphraseMinimumLength
        self.questionsWithPassphraseAllowed = questionsWithPassphraseAllowed
        self.blindOnly = blindOnly
        self.customQuestionsAllowed = customQuestionsAllowed
    }

    /// The members on the wire.
    public static let members = WireMembers<CredentialRulesResponse>(
        "CredentialRulesResponse", CredentialRulesResponse.init, Member("questions", \.questions, .number()),
        Member("passphraseMinimumLength", \.passphraseMinimumLength, .number()),
        Member("questionsWithPassphraseAllowed", \.questionsWithPassphraseAllowed), Member("blindOnly", \.blindOnly),
        Member("customQuestionsAllowed", \.customQuestionsAllowed, .flag, absent: false))
}
