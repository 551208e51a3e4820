package import Canonical
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
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
    private var limit = Self.limit
    private var refillSeconds = Self.refillSeconds

    init(address: [UInt8], app: UUID?, ring: KeyRing) {
        let whole = ring.lookupDigest(kind: "budget-mail", address)
        ledger = .directory(whole[0])
        keys = [whole] + (app.map { [whole + ring.lookupDigest(kind: "budget-mail-app", address + $0.bytes)] } ?? [])
    }

    /// The budget of invitations to one address by companies that nobody vouches for: three at once and one back in three
    /// and a half days, so at most five in a week.
    init(invitationsTo address: [UInt8], ring: KeyRing) {
        let whole = ring.lookupDigest(kind: "budget-invitation", address)
        (ledger, keys, limit, refillSeconds) = (.directory(whole[0]), [whole], 3, 302_400)
    }

    /// The budget of the codes that may be typed for a mail about a change of an address. It outlives the mail.
    init(codesOf mail: UUID, ring: KeyRing) {
        let whole = ring.lookupDigest(kind: "budget-address-code", mail.bytes)
        (ledger, keys) = (.directory(whole[0]), [whole])
        (limit, refillSeconds) = (Int32(TypedCode.limit), 86_400)
    }

    /// The budget of the changes of address that a user begins: three at once, one back every eight hours.
    init(changesOf user: UserID, ring: KeyRing) {
        let whole = ring.lookupDigest(kind: "budget-change", user.uuid.bytes)
        (ledger, keys, limit, refillSeconds) = (.directory(whole[0]), [whole], 3, 28_800)
    }

    /// The budget of changes to one address, whoever begins them: three at once, one back every ten days. Claims on the
    /// address have another one, so that a change uses up none.
    init(changesTo address: [UInt8], ring: KeyRing) {
        let whole = ring.lookupDigest(kind: "budget-change-to", address)
        (ledger, keys, limit, refillSeconds) = (.directory(whole[0]), [whole], 3, 864_000)
    }

    /// The statement that charges one mail. The head of the ledger has to be locked before.
    func charging(at time: Timestamp) -> SQL {
        let limits = [limit, Self.appLimit].prefix(keys.count).map(\.self)
        let caps = [Int32](repeating: 0, count: keys.count)
        return """
            SELECT charged, spent, exhausted, retry_after_seconds FROM tenure.charge_attempt(
                \(ledger.uuid), \(keys), \(limits), \(caps), \(time.postgres), \(refillSeconds), \(Int32(0)),
                \(Int32(0)), \(limit * refillSeconds))
            """
    }
}

extension MailBudget {
    /// The statement that takes one charge back. The head of the ledger has to be locked before.
    fileprivate var refund: SQL { "SELECT tenure.refund_attempts(\(ledger.uuid), \(keys), \(Int32(1)))" }
}

extension ServiceContext {
    /// Takes back the charge of a mail that no mail server was told of, in a transaction of its own.
    ///
    /// - Parameter address: The key of the address that was charged, for no app.
    func refundMail(to address: [UInt8]) async throws {
        let budget = MailBudget(address: address, app: nil, ring: ring)
        let opening = [Appender.lockingHeads([budget.ledger]), budget.refund]
        try await pool.withTransaction(in: [budget.ledger], opening: opening) { _, _ in }
    }

    /// Charges a mail to an address, in a transaction of its own. Call it before the mail is queued.
    ///
    /// - Parameters:
    ///   - address: The key of the address or the user id.
    ///   - app: The app that causes the mail, if one does.
    /// - Throws: `request.rate_limited` with the seconds to wait. Anything else is a defect or a lost database.
    package func chargeMail(to address: [UInt8], app: UUID?, at time: Timestamp) async throws {
        try await charge(MailBudget(address: address, app: app, ring: ring), at: time)
    }

    /// Charges a mail to budgets one after the other, and returns `false` if one of them is empty.
    func mayMail(_ budgets: MailBudget..., at time: Timestamp) async throws -> Bool {
        do {
            for budget in budgets { try await charge(budget, at: time) }
            return true
        } catch let refusal as ServiceError where refusal.code == .requestRateLimited { return false }
    }

    /// Charges a mail to a budget, in a transaction of its own. Of charges at the same time none exceeds it.
    func charge(_ budget: MailBudget, at time: Timestamp) async throws {
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

/// The notices of one kind about one account: three a day, in UTC.
///
/// Otherwise somebody who may decide could hide one notice among hundreds, or fill a mailbox. The row belongs to one day.
/// The append that queues the notice counts it, so a decision that fails counts nothing. Two decisions about an account
/// conflict, so they cannot both be the third.
struct NoticeBudget: Sendable {
    /// The notices of a day.
    static let limit: Int32 = 3
    /// The invitations that a tenant mails in a day: whoever founds a tenant may invite strangers.
    static let invitations: Int32 = 200
    private static let day: Int64 = 86_400_000_000

    private let limit: Int32
    /// The time after which the budget is full again, in microseconds.
    private var period = Self.day
    let ledger: LedgerID
    private let key: [UInt8]
    private let time: Timestamp

    /// Whether the notices of a kind are limited. Who must be able to stop a recovery or a return is always told of its
    /// opening.
    static func limits(_ kind: MailKind) -> Bool {
        switch kind {
        case .recoveryOpened, .returnRequested, .returnOpened, .returnReminder, .credentialsChanged: false
        // Mails with a link to verify are charged to the address.
        case .verify, .activation, .deviceConfirmation, .addressClaim, .addressTaken, .addressChange: false
        // An invitation is charged to the address and to the tenant.
        case .invitation: false
        // The former address is always told of a change.
        case .addressChanged: false
        // The hour limits it.
        case .somebodyWaits: false
        case .deviceAdded, .adminAppointed, .returnCompleted, .addressProved, .approved, .removed, .welcome,
            .passkeyCopied, .passkeyElsewhere:
            true
        }
    }

    init(_ kind: MailKind, about employee: EmployeeID, in tenant: TenantID, at time: Timestamp, _ ring: KeyRing) {
        ledger = LedgerID(tenant.uuid)
        self.time = time
        limit = Self.limit
        let account = Array("\(kind.rawValue)/\(time.microseconds / Self.day)/\(employee)".utf8)
        key = ring.lookupDigest(kind: "budget-notice", account, scope: tenant.uuid)
    }

    /// The budget of notices to a user that are about no account of a tenant.
    init(_ kind: MailKind, about user: UserID, at time: Timestamp, _ ring: KeyRing) {
        ledger = .directory(of: user)
        self.time = time
        limit = Self.limit
        let owner = Array("\(kind.rawValue)/\(time.microseconds / Self.day)/\(user)".utf8)
        key = ring.lookupDigest(kind: "budget-notice", owner, scope: ledger.uuid)
    }

    /// The budget of all invitations that a tenant mails in a day.
    init(invitationsOf tenant: TenantID, at time: Timestamp, _ ring: KeyRing) {
        ledger = LedgerID(tenant.uuid)
        self.time = time
        limit = Self.invitations
        let day = Array("invitation/\(time.microseconds / Self.day)".utf8)
        key = ring.lookupDigest(kind: "budget-notice", day, scope: tenant.uuid)
    }

    /// The budget of the mails about claims on an address in a month of 30 days.
    init(claimsOn address: EmailAddress, at time: Timestamp, _ ring: KeyRing) {
        period = 30 * Self.day
        self.time = time
        limit = Self.limit
        let month = Array("claim/\(time.microseconds / period)/".utf8)
        key = ring.lookupDigest(kind: "budget-notice", month + address.key)
        ledger = .directory(key[0])
    }

    /// Whether the day's notices were queued.
    func isSpent(_ pool: PostgresPool) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT spent FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger])
        return try rows.first.map { try $0.decode(Int32.self) >= limit } ?? false
    }

    /// The statement that counts one notice.
    var counting: SQL {
        let midnight = Timestamp(microseconds: (time.microseconds / period + 1) * period).postgres
        return """
            INSERT INTO tenure.budget AS b (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(midnight))
            ON CONFLICT (ledger_id, key) DO UPDATE SET spent = b.spent + 1, lifetime = b.lifetime + 1
            """
    }
}
