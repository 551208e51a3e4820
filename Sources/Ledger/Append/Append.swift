public import Canonical
public import FoundationEssentials
public import Postgres

/// An atomic write to one or several ledgers: all of it is recorded, or nothing.
///
/// It names the version of every stream that it was decided on. If a stream has moved on meanwhile, the append is
/// refused with ``LedgerError/Code/versionConflict``; reload the streams, decide again and retry. ``Appender`` shows an
/// example.
public struct Append: Sendable {
    /// The events in order, at least one. They may belong to several ledgers.
    public var events: [NewEvent]
    /// The expected version of every stream that gets events, 0 if it does not exist yet. It may also name streams that
    /// get no events but must not change meanwhile.
    public var expectations: [StreamID: Int]
    /// The claims to take. A claim that is already taken refuses the append, even if its owner is the same.
    public var claims: [Claim]
    /// The claims to release. They are released before ``claims`` are taken, so one append can release a claim and take
    /// it again.
    public var releases: [ClaimRelease]
    /// The time of the events. If a ledger's latest event is later, the appender raises it to that time.
    public var time: Timestamp
    /// The latest time at which the events may be recorded, such as the expiry of the statement that they carry; `nil`
    /// for none. If a ledger's latest event is later, the append is refused with ``LedgerError/Code/late``. A repetition
    /// of a recorded append is not.
    public var notAfter: Timestamp?
    /// Whether the events may be as late as the ledger's latest event, however far that is ahead of the clock; their own
    /// time may not. Only what vouches for such a ledger, or accepts its time, may.
    public var mayFollowHead = false
    /// Further ledgers whose rows ``effects`` touches. Row-level security hides all other ledgers.
    public var effectLedgers: Set<LedgerID>
    /// Returns further statements for the same transaction. They run only if the events are recorded now, not for a
    /// duplicate.
    ///
    /// The appender calls this again when it retries the transaction, so it must do nothing but build statements. If
    /// the database refuses one of them, only this append is refused.
    public var effects: @Sendable (AppendReceipt) -> [SQL]

    /// An append of `events` under `expectations`. It is validated when it is recorded.
    public init(
        events: [NewEvent], expectations: [StreamID: Int], claims: [Claim] = [], releases: [ClaimRelease] = [],
        time: Timestamp = .now(), notAfter: Timestamp? = nil, effectLedgers: Set<LedgerID> = [],
        effects: @escaping @Sendable (AppendReceipt) -> [SQL] = { _ in [] }
    ) {
        self.events = events
        self.expectations = expectations
        self.claims = claims
        self.releases = releases
        self.time = time
        self.notAfter = notAfter
        self.effectLedgers = effectLedgers
        self.effects = effects
    }

    /// All ledgers whose rows the append touches.
    public var ledgers: Set<LedgerID> {
        var ledgers: Set<LedgerID> = []
        insertLedgers(into: &ledgers)
        return ledgers
    }

    func insertLedgers(into ledgers: inout Set<LedgerID>) {
        ledgers.formUnion(effectLedgers)
        for event in events { ledgers.insert(event.stream.ledger) }
        for stream in expectations.keys { ledgers.insert(stream.ledger) }
        for claim in claims { ledgers.insert(claim.key.ledger) }
        for release in releases { ledgers.insert(release.key.ledger) }
    }
}

/// The name of a claim: something that can belong to one owner only, such as an address.
public struct ClaimKey: Sendable, Hashable {
    /// The ledger in which it is unique.
    public let ledger: LedgerID
    /// The kind of claim, such as `email`: a lower-case ASCII letter, then up to 31 letters, digits, `.`, `_` or `-`.
    public let kind: String
    /// The keyed hash of the claimed value, 32 bytes.
    public let digest: [UInt8]

    /// A claim's name. A digest of another length is refused when the claim is taken.
    public init(ledger: LedgerID, kind: String, digest: [UInt8]) {
        self.ledger = ledger
        self.kind = kind
        self.digest = digest
    }

    var isWellFormed: Bool { digest.count == 32 && ASCIIName.claimKind.accepts(kind) }
}

/// A claim with its owner, as an append takes it and a look-up returns it.
public struct Claim: Sendable, Hashable {
    /// The name of the claim.
    public var key: ClaimKey
    /// The owner's id, which a look-up returns.
    public var owner: UUID
    /// Up to 4,096 further bytes, which a look-up returns as well.
    public var value: [UInt8]?
    /// The time from which another append may take the claim, or `nil` if it never expires. Readers find an expired
    /// claim until it is taken.
    public var expiresAt: Timestamp?
    /// The code of its row, as a look-up returns it. The append does not write it: who keeps codes adds it by a further
    /// statement.
    public var code: [UInt8]?

    /// A claim of `key` for `owner`.
    public init(key: ClaimKey, owner: UUID, value: [UInt8]? = nil, expiresAt: Timestamp? = nil) {
        self.key = key
        self.owner = owner
        self.value = value
        self.expiresAt = expiresAt
    }

    /// The greatest length of ``value`` in bytes.
    static let maximumValueLength = 4_096
}

/// The release of a claim.
public struct ClaimRelease: Sendable, Hashable {
    /// The name of the claim to release.
    public var key: ClaimKey
    /// The owner that the claim must have for the append to succeed, or `nil` to release it from any owner.
    public var owner: UUID?

    /// The release of `key`, from `owner` only if one is given.
    public init(key: ClaimKey, owner: UUID? = nil) {
        self.key = key
        self.owner = owner
    }
}

/// The result of a recorded append.
public struct AppendReceipt: Sendable, Equatable {
    /// The position of each event in its ledger, by the event's id.
    public let positions: [UUID: Int64]
    /// The last position in each ledger. Wait for it before you read your own writes from a projection.
    public let last: [LedgerID: Int64]
    /// The time that the events carry. In a ledger whose accepted time is ahead of the clock they carry that one.
    public let time: Timestamp
    /// Whether the same append had already been recorded. The positions are then those of the first recording.
    public let wasDuplicate: Bool

    init(events: [NewEvent], positions: [Int64], time: Timestamp, wasDuplicate: Bool) {
        var byEvent: [UUID: Int64] = [:]
        var last: [LedgerID: Int64] = [:]
        for (event, position) in zip(events, positions) {
            byEvent[event.id] = position
            last[event.stream.ledger] = max(last[event.stream.ledger] ?? 0, position)
        }
        self.positions = byEvent
        self.last = last
        self.time = time
        self.wasDuplicate = wasDuplicate
    }
}

/// Something that records appends: an ``Appender``, or what wraps one.
public protocol AppendTarget: Sendable {
    /// Records an append, or throws and records nothing of it.
    ///
    /// - Throws: ``LedgerError``. After ``LedgerError/Code/outcomeUnknown`` it is not known whether the append was
    ///   recorded. Send it again with the same event ids: it is recorded once, and the first outcome is returned.
    func append(_ append: Append) async throws(LedgerError) -> AppendReceipt
}
