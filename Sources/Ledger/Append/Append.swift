public import Canonical
public import Postgres

/// What one caller wants recorded: all of it or nothing.
public struct Append: Sendable {
    /// The events in order, at least one, of one ledger or several.
    public var events: [NewEvent]
    /// The exact version of every stream that gets events (0: it does not exist), and of streams that must not change
    /// meanwhile although nothing is appended to them.
    public var expectations: [StreamID: Int]
    /// Claims that are taken; one that is taken already refuses the append, also when its owner is the same.
    public var claims: [Claim]
    /// Claims that are given back, before others are taken: a claim may be given back and taken in one append.
    public var releases: [ClaimRelease]
    /// When it happens; raised to the time of the latest event of a ledger where that is later.
    public var time: Timestamp
    /// Ledgers besides those above whose rows ``effects`` touches: row-level security hides all others.
    public var effectLedgers: Set<LedgerID>
    /// Further statements of the same transaction, run only when the events are recorded now (not for a duplicate).
    ///
    /// Called again when the transaction is tried again, so it must only make statements. One that is refused refuses
    /// this append alone.
    public var effects: @Sendable (Appended) -> [SQL]

    /// Makes an append.
    public init(
        events: [NewEvent], expectations: [StreamID: Int], claims: [Claim] = [], releases: [ClaimRelease] = [],
        time: Timestamp = .now(), effectLedgers: Set<LedgerID> = [],
        effects: @escaping @Sendable (Appended) -> [SQL] = { _ in [] }
    ) {
        self.events = events
        self.expectations = expectations
        self.claims = claims
        self.releases = releases
        self.time = time
        self.effectLedgers = effectLedgers
        self.effects = effects
    }

    /// All ledgers whose rows it touches.
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
