/// Why an append or a read was refused; `description` is safe to show a stranger.
public struct LedgerError: Error, Sendable, Equatable {
    /// The stable identifier of a refusal; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `ledger.version_conflict`.
        public let rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// A stream has another version than expected; see ``LedgerError/conflict``.
        public static let versionConflict = Code(rawValue: "ledger.version_conflict")
        /// A claim belongs to somebody; see ``LedgerError/claimKind``.
        public static let claimTaken = Code(rawValue: "ledger.claim_taken")
        /// A claim to give back does not exist or belongs to another owner; see ``LedgerError/claimKind``.
        public static let claimMissing = Code(rawValue: "ledger.claim_missing")
        /// An event id is recorded already, with other content or with only a part of the append.
        public static let eventIdReused = Code(rawValue: "ledger.event_id_reused")
        /// An entry would have more than 65,535 bytes.
        public static let entryTooLarge = Code(rawValue: "ledger.entry_too_large")
        /// The append breaks a rule of its own, whatever the ledgers hold.
        public static let invalidEvent = Code(rawValue: "ledger.invalid_event")
        /// Recorded bytes are no entry, or not the one their row says.
        public static let invalidEntry = Code(rawValue: "ledger.invalid_entry")
        /// The ledger has fewer events than were asked for.
        public static let beyondHead = Code(rawValue: "ledger.beyond_head")
        /// A statement of ``Append/effects`` was refused; see ``LedgerError/constraint``.
        public static let effectRefused = Code(rawValue: "ledger.effect_refused")
        /// The database cannot be reached or refused to work; nothing was recorded.
        public static let unavailable = Code(rawValue: "ledger.unavailable")
        /// The answer of the database was lost and could not be found out; the append may be recorded or not.
        public static let outcomeUnknown = Code(rawValue: "ledger.outcome_unknown")
        /// Too many callers wait; nothing was recorded.
        public static let busy = Code(rawValue: "ledger.busy")
        /// The task was cancelled before the append was sent; nothing was recorded.
        public static let cancelled = Code(rawValue: "ledger.cancelled")
    }

    /// What an expectation met.
    public struct VersionConflict: Sendable, Equatable {
        /// The stream.
        public let stream: StreamID
        /// The version the caller named.
        public let expected: Int
        /// The version it has.
        public let actual: Int

        /// Makes a conflict.
        public init(stream: StreamID, expected: Int, actual: Int) {
            self.stream = stream
            self.expected = expected
            self.actual = actual
        }
    }

    /// The kind of refusal.
    public let code: Code
    /// One clause for a person, without data.
    public let reason: String
    /// The stream of a ``Code/versionConflict``.
    public private(set) var conflict: VersionConflict?
    /// The kind of the claim of a ``Code/claimTaken`` or ``Code/claimMissing``.
    public private(set) var claimKind: String?
    /// The ledger of that claim.
    public private(set) var claimLedger: LedgerID?
    /// The constraint that a refused effect would have broken, when it was one.
    public private(set) var constraint: String?

    /// Makes a refusal; `reason` must not hold data.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func versionConflict(_ conflict: VersionConflict) -> LedgerError {
        var error = LedgerError(.versionConflict, "a stream has another version than expected")
        error.conflict = conflict
        return error
    }

    static func claim(_ code: Code, kind: String, ledger: LedgerID) -> LedgerError {
        var error = LedgerError(code, code == .claimTaken ? "a claim is taken" : "a claim is not there to give back")
        error.claimKind = kind
        error.claimLedger = ledger
        return error
    }

    static func effectRefused(constraint: String?) -> LedgerError {
        var error = LedgerError(.effectRefused, "a statement of the append's effects was refused")
        error.constraint = constraint
        return error
    }
}

extension LedgerError: CustomStringConvertible {
    /// The code, the reason, and names and numbers of streams; no content.
    public var description: String {
        var text = "\(code): \(reason)"
        if let conflict {
            text += " (\(conflict.stream.kind), expected \(conflict.expected), actual \(conflict.actual))"
        }
        if let claimKind { text += " (\(claimKind))" }
        if let constraint { text += " (\(constraint))" }
        return text
    }
}
