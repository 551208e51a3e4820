package import Canonical
import ErrorCodes
package import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The budget of mails to one address: five, one back every 12 minutes. One app may spend three of them.
///
/// The budget depends on the address only, whether anybody has it or not.
struct MailBudget: Sendable {
    /// The mails that an address may get at once.
    static let limit: Int32 = 5
    /// The part of ``limit`` that one app may cause.
    static let appLimit: Int32 = 3
    /// The seconds after which one more mail may be sent.
    static let refillSeconds: Int32 = 720

    let ledger: LedgerID
    private let keys: [[UInt8]]

    init(address: [UInt8], app: UUID?, ring: KeyRing) {
        let whole = ring.lookupDigest(kind: "budget-mail", address)
        ledger = .directory(whole[0])
        keys = [whole] + (app.map { [whole + ring.lookupDigest(kind: "budget-mail-app", address + $0.bytes)] } ?? [])
    }

    /// The statement that charges one mail. The head of the ledger has to be locked before.
    func charging(at time: Timestamp) -> SQL {
        let limits = [Self.limit, Self.appLimit].prefix(keys.count).map(\.self)
        let caps = [Int32](repeating: 0, count: keys.count)
        return """
            SELECT charged, spent, exhausted, retry_after_seconds FROM tenure.charge_attempt(
                \(ledger.uuid), \(keys), \(limits), \(caps), \(time.postgres), \(Self.refillSeconds), \(Int32(0)),
                \(Int32(0)), \(Self.limit * Self.refillSeconds))
            """
    }
}

extension ServiceContext {
    /// Charges a mail to an address, in a transaction of its own. Call it before the mail is queued.
    ///
    /// - Parameters:
    ///   - address: The key of the address or the user id.
    ///   - app: The app that causes the mail, if one does.
    /// - Throws: `request.rate_limited` with the seconds to wait. Anything else is a defect or a lost database.
    package func chargeMail(to address: [UInt8], app: UUID?, at time: Timestamp) async throws {
        let budget = MailBudget(address: address, app: app, ring: ring)
        let opening = [Appender.lockingHeads([budget.ledger]), budget.charging(at: time)]
        try await pool.withTransaction(in: [budget.ledger], opening: opening) { _, opened in
            let charged = try AttemptBudget.Charged(opened.last ?? [])
            guard charged.isCharged else {
                throw ServiceError(
                    .requestRateLimited, retryAfterSeconds: max(1, Int(charged.retryAfterSeconds)))
            }
        }
    }
}
