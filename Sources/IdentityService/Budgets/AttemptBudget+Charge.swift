import Canonical
import Identity
import Ledger
import Postgres

extension AttemptBudget {
    /// What charging one attempt led to.
    struct Charged: Sendable {
        var isCharged: Bool
        /// How much of the whole budget is spent, this charge included.
        var spent: Int32
        /// Whether this was the last attempt of the budget or of a share for now.
        var isExhausted: Bool
        /// How long it takes until there is an attempt again, in seconds; 0 when there is one, or never.
        var retryAfterSeconds: Int32

        /// Reads what ``AttemptBudget/charging(_:at:)`` answered.
        init(_ rows: [PostgresRow]) throws {
            guard let row = rows.first else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
            (isCharged, spent, isExhausted, retryAfterSeconds) = try row.decode(
                Bool.self, Int32.self, Bool.self, Int32.self)
        }
    }

    /// The statement that charges one attempt to the budget and its shares, or to none of them. Whoever sends it has locked
    /// the ledger's head before, which makes the counts exact over processes; without that it may be refused with 40001.
    func charging(_ rules: BudgetRules, at time: Timestamp) -> SQL {
        let now = time.postgres
        let keys = parts.map(\.key)
        let limits = parts.map { Int32($0.limit(device, rules)) }
        let caps = parts.map { Int32($0.lifetimeCap(device, rules)) }
        let isKnown = device == .known
        let refill = Int32(isKnown ? rules.knownRefillSeconds : rules.unknownRefillSeconds)
        let free = Int32(isKnown ? rules.knownFreeOfDelay : 0)
        let delay = Int32(rules.knownDelaySeconds)
        let keep = keepSeconds(rules)
        return """
            SELECT charged, spent, exhausted, retry_after_seconds FROM tenure.charge_attempt(
                \(ledger.uuid), \(keys), \(limits), \(caps), \(now), \(refill), \(free), \(delay), \(keep))
            """
    }

    /// After how many seconds without a charge the rows say no more than no rows do, or may be forgotten.
    ///
    /// A person's are never forgotten, and still have a moment: nobody's rows have one, and both must change in the same way
    /// when they are charged.
    private func keepSeconds(_ rules: BudgetRules) -> Int32 {
        switch device {
        case .known: Int32(rules.knownLimit * rules.knownRefillSeconds + BudgetRules.longestDelaySeconds)
        case .unknown: isDecoy ? Int32(BudgetRules.decoySeconds) : BudgetRules.neverSeconds
        }
    }
}
