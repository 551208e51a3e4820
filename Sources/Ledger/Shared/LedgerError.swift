import Postgres

/// The reason why an append or a read was refused. `description` is safe to show to anyone.
public struct LedgerError: Error, Sendable, Equatable {
    /// The stable identifier of a refusal. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `ledger.version_conflict`.
        public let rawValue: String
        /// A code with the identifier `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// A stream has another version than expected: reload and retry. See ``LedgerError/conflict``.
        public static let versionConflict = Code(rawValue: "ledger.version_conflict")
        /// A claim already has an owner; see ``LedgerError/claimKind``.
        public static let claimTaken = Code(rawValue: "ledger.claim_taken")
        /// A claim to release does not exist or has another owner; see ``LedgerError/claimKind``.
        public static let claimMissing = Code(rawValue: "ledger.claim_missing")
        /// A ledger's latest event is later than the append permits; see ``Append/notAfter``. Nothing was recorded.
        public static let late = Code(rawValue: "ledger.late")
        /// The append's time is ahead of the database's clock; nothing was recorded. This process's clock is wrong.
        public static let clock = Code(rawValue: "ledger.clock")
        /// The ledger's latest event is ahead of the database's clock, and nobody accepted its time; see
        /// ``LedgerError/aheadLedger``. Nothing was recorded.
        public static let ahead = Code(rawValue: "ledger.ahead")
        /// An event id is already recorded with other content, or with only a part of the append.
        public static let eventIdReused = Code(rawValue: "ledger.event_id_reused")
        /// An entry would have more than 65,535 bytes.
        public static let entryTooLarge = Code(rawValue: "ledger.entry_too_large")
        /// The append breaks a rule that does not depend on the ledgers' state.
        public static let invalidEvent = Code(rawValue: "ledger.invalid_event")
        /// Recorded bytes are not an entry, or differ from their row.
        public static let invalidEntry = Code(rawValue: "ledger.invalid_entry")
        /// A row of the log has no code of a service, so no service wrote it; see ``LedgerError/place``.
        public static let foreignEntry = Code(rawValue: "ledger.foreign_entry")
        /// Versions of a stream are missing; see ``LedgerError/place``.
        public static let streamGap = Code(rawValue: "ledger.stream_gap")
        /// The ledger has fewer events than requested.
        public static let beyondHead = Code(rawValue: "ledger.beyond_head")
        /// The database refused a statement of ``Append/effects``; see ``LedgerError/constraint``.
        public static let effectRefused = Code(rawValue: "ledger.effect_refused")
        /// The database cannot be reached or did not do the work; nothing was recorded.
        public static let unavailable = Code(rawValue: "ledger.unavailable")
        /// The database's answer was lost and could not be recovered; the append may or may not be recorded.
        public static let outcomeUnknown = Code(rawValue: "ledger.outcome_unknown")
        /// Too many callers wait, or a ledger was locked for too long; nothing was recorded.
        public static let busy = Code(rawValue: "ledger.busy")
        /// The task was cancelled before the append was sent; nothing was recorded.
        public static let cancelled = Code(rawValue: "ledger.cancelled")
    }

    /// The stream and versions of a version conflict.
    public struct VersionConflict: Sendable, Equatable {
        /// The stream.
        public let stream: StreamID
        /// The version that the append expected.
        public let expected: Int
        /// The version that the stream has.
        public let actual: Int

        /// A conflict on `stream`.
        public init(stream: StreamID, expected: Int, actual: Int) {
            self.stream = stream
            self.expected = expected
            self.actual = actual
        }
    }

    /// A place in the log.
    public struct Place: Sendable, Hashable {
        /// The ledger.
        public let ledger: LedgerID
        /// The position.
        public let position: Int64

        /// The place of a position.
        public init(ledger: LedgerID, position: Int64) { (self.ledger, self.position) = (ledger, position) }
    }

    /// The kind of refusal.
    public let code: Code
    /// The reason in one clause, without data.
    public let reason: String
    /// The stream of a ``Code/versionConflict``.
    public private(set) var conflict: VersionConflict?
    /// The kind of the claim of a ``Code/claimTaken`` or ``Code/claimMissing``.
    public private(set) var claimKind: String?
    /// The ledger of that claim.
    public private(set) var claimLedger: LedgerID?
    /// The ledger of an ``Code/ahead``.
    public private(set) var aheadLedger: LedgerID?
    /// The place of a ``Code/foreignEntry``, or of the first event behind a ``Code/streamGap``.
    public private(set) var place: Place?
    /// The constraint that a refused effect violated, if it violated one.
    public private(set) var constraint: String?
    /// What libpq or the server gave as the cause, for the operator; see `PostgresError.cause`.
    public private(set) var cause: String?

    /// Whether something of the log is not as a service wrote it, which another read does not change.
    package var isDamage: Bool { [.foreignEntry, .invalidEntry, .streamGap].contains(code) }

    /// A refusal with its reason; `reason` must not hold data.
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
        var error = LedgerError(
            code, code == .claimTaken ? "the claim is already taken" : "the claim to release does not exist")
        error.claimKind = kind
        error.claimLedger = ledger
        return error
    }

    static let falseHead = LedgerError(.busy, "the head of a ledger is not that of its events; it is set right soon")
    static let streamChanged = LedgerError(.busy, "a stream changed while it was read; read it again")
    static let late = LedgerError(.late, "the ledger's latest event is later than the append permits")
    static let clock = LedgerError(.clock, "the time is ahead of the database's clock; set this machine's clock")

    static func ahead(_ ledger: LedgerID) -> LedgerError {
        var error = LedgerError(
            .ahead, "the ledger's latest event is ahead of the clock; see tenure ledger accept-time")
        error.aheadLedger = ledger
        return error
    }

    static func foreignEntry(_ place: Place) -> LedgerError {
        LedgerError(.foreignEntry, "no service wrote an entry of the log", at: place)
    }

    static func streamGap(before event: RecordedEvent) -> LedgerError {
        LedgerError(
            .streamGap, "versions of a stream are missing", at: Place(ledger: event.ledger, position: event.position))
    }

    private init(_ code: Code, _ reason: String, at place: Place) {
        self.init(code, reason)
        self.place = place
    }

    static func effectRefused(constraint: String?) -> LedgerError {
        var error = LedgerError(.effectRefused, "a statement of the append's effects was refused")
        error.constraint = constraint
        return error
    }
}

extension LedgerError: CustomStringConvertible {
    /// The code, the reason, and kinds and versions of streams; no content.
    public var description: String {
        var text = "\(code): \(reason)"
        if let conflict {
            text += " (\(conflict.stream.kind), expected \(conflict.expected), actual \(conflict.actual))"
        }
        if let claimKind { text += " (\(claimKind))" }
        if let aheadLedger { text += " (\(aheadLedger))" }
        if let place { text += " (ledger \(place.ledger), position \(place.position))" }
        if let constraint { text += " (\(constraint))" }
        return text
    }
}

extension LedgerError {
    /// The error of a caller whose append is not to blame for the database's failure.
    init(_ error: PostgresError) {
        if error.sqlState == .lockNotAvailable {
            self.init(.busy, "a ledger was locked for too long (\(error))")
        } else if error.code == .cancelled {
            self.init(.cancelled, "the task was cancelled")
        } else {
            self.init(.unavailable, "the database is not available (\(error))")
        }
        cause = error.cause
    }

    /// The error of a caller for any failure of a call into the database.
    init(wrapping error: any Error) {
        switch error {
        case let error as LedgerError: self = error
        case let error as PostgresError: self.init(error)
        default: self.init(.unavailable, "the database's answer does not have the expected form")
        }
    }
}
