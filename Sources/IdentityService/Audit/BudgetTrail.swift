import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The attempt budgets of one directory, by its events: each charge says how much of its budget was spent.
///
/// A budget only shrinks by a success, which is in the log, and by time: from its first charge on, each refill gives one
/// attempt back. A charge that says less, comes before its delay is over, or is one more than a budget ever allows shows
/// that somebody changed the budget's row meanwhile.
struct BudgetTrail: Sendable {
    /// The time by which the times of two events may be nearer than those of their charges.
    static let slack: Duration = .seconds(60)

    private struct Key: Hashable {
        var credential: CredentialID
        /// The device, for a known one.
        var device: KeyFingerprint?
        /// The share; `nil` for the whole budget.
        var share: Bytes32?
    }

    /// What is known of a budget after a charge or a success.
    private struct Budget {
        var spent: Int
        /// The earliest time from which the next refill counts.
        var refilled: Timestamp
        /// The time of the last charge.
        var charged: Timestamp
        /// The charges that no success gave back; those in a row for a known device.
        var charges = 1
        /// Until when the last charge blocks the next one.
        var blocked: Timestamp?
    }

    static let lowered = "an attempt budget was lowered before this charge, by no success"
    static let above = "an attempt was charged above its limit"

    let ledger: LedgerID
    let rules: BudgetRules
    private(set) var violations: [Violation] = []
    private var budgets: [Key: Budget] = [:]
    private var charged: [UUID: [Key]] = [:]

    init(ledger: LedgerID, rules: BudgetRules) {
        self.ledger = ledger
        self.rules = rules
    }

    /// Takes the next event.
    mutating func add(_ event: RecordedEvent) throws {
        switch try EventCodec.payload(of: event) {
        case let charge as AttemptCharged: take(charge, event)
        case is AttemptsCleared:
            for key in charged.removeValue(forKey: event.stream.id) ?? [] { clear(key) }
        default: break
        }
    }

    private mutating func clear(_ key: Key) {
        guard var budget = budgets[key] else { return }
        budget.spent = max(0, budget.spent - 1)
        budget.charges = key.device == nil ? max(0, budget.charges - 1) : 0
        budget.blocked = nil
        budgets[key] = budget
    }

    private mutating func take(_ charge: AttemptCharged, _ event: RecordedEvent) {
        var key = Key(
            credential: charge.credentialID, device: charge.device == .known ? charge.fingerprint : nil)
        charged[event.stream.id] = [key]
        var words = count(charge.spent, of: charge.limit, in: key, event.time)
        for share in charge.shares ?? [] {
            key.share = share.share
            charged[event.stream.id]?.append(key)
            let found = count(share.spent, of: share.limit, in: key, event.time)
            words = words ?? found
        }
        guard let words else { return }
        violations.append(Violation(.row, ledger: ledger, position: event.position, words))
    }

    /// Takes what a charge says of a budget or a share, and returns what is wrong or `nil`.
    private mutating func count(_ count: Int, of limit: Int, in key: Key, _ time: Timestamp) -> String? {
        let refill = Duration.seconds(key.device == nil ? rules.unknownRefillSeconds : rules.knownRefillSeconds)
        let latest = time.adding(Self.slack)
        // A budget that is charged for the first time, or got everything back, is refilled from this charge on.
        var next = Budget(spent: count, refilled: count > 1 ? time.adding(.zero - refill) : time, charged: time)
        var words: String? = count > limit ? Self.above : nil
        if let known = budgets[key] {
            // The row of a budget is forgotten a year after its last charge.
            if time < known.charged.adding(.seconds(BudgetRules.yearSeconds)) { next.charges += known.charges }
            let refilled = known.refilled.adding(refill * max(0, known.spent + 1 - count))
            let isCapped = key.device == nil && next.charges > cap(of: key, limit)
            if (count <= known.spent && refilled > latest) || isCapped || known.blocked.map({ $0 > latest }) ?? false {
                words = words ?? Self.lowered
            } else if count > 1 {
                next.refilled = refilled
            }
        }
        if key.device != nil { next.blocked = block(after: next) }
        budgets[key] = next
        return words
    }

    /// The charges without a success that a budget of unknown devices, or a share of it, ever takes.
    private func cap(of key: Key, _ limit: Int) -> Int {
        guard key.share != nil else { return rules.unknownLifetimeCap }
        return limit == rules.unknownAppLimit ? rules.unknownAppLifetimeCap : rules.unknownTenantLifetimeCap
    }

    /// Until when the last charge of a known device blocks the next one.
    private func block(after budget: Budget) -> Timestamp? {
        guard budget.charges < rules.knownFailuresInARow else {
            return budget.charged.adding(.seconds(BudgetRules.daySeconds))
        }
        let doublings = budget.spent - 1 - rules.knownFreeOfDelay
        guard doublings >= 0 else { return nil }
        let delay = min(BudgetRules.longestDelaySeconds, rules.knownDelaySeconds << min(20, doublings))
        return budget.charged.adding(.seconds(delay))
    }
}
