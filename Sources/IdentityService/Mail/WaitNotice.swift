package import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
import Postgres

/// The mails that tell the admins of a tenant that somebody waits: at most one an hour for each admin.
///
/// A mail lists what waits when it is sent. So nobody is told of a decision that was made meanwhile, and a flood of
/// people makes no more mails than one person. The id of a mail follows from admin and hour, so two processes cannot
/// queue two.
struct WaitNotice: Sendable {
    /// The time between two mails.
    static let interval: Duration = .seconds(3_600)
    /// The time for which a mail is tried.
    static let lifetime = ServiceContext.noticeLifetime
    /// The number of admins who get mails: the security admin, and those appointed first.
    static let mostAdmins = 20

    let context: ServiceContext
    let tenant: TenantSnapshot

    /// An admin whose address is confirmed.
    struct Admin: Sendable {
        let employee: EmployeeID
        let user: UserID
        let isSecurityAdmin: Bool
    }

    /// When the next mail to an admin is due; `nil` if one waits for its hour already.
    ///
    /// - Parameters:
    ///   - last: When the latest mail was due; `nil` if that is more than an hour ago.
    ///   - delay: The time that the person has to help themselves.
    static func due(after last: Timestamp?, delay: Duration, at time: Timestamp) -> Timestamp? {
        let soonest = time.adding(delay)
        guard let last else { return soonest }
        guard last <= time else { return nil }
        return max(soonest, last.adding(interval))
    }

    /// Queues the mails that are due. It never fails what somebody waits for: an error is a line of the log.
    ///
    /// - Parameters:
    ///   - employee: Who waits. They are not told of themselves.
    ///   - delay: The time that the person has to help themselves.
    func queue(about employee: EmployeeID, delay: Duration, _ call: Call) async {
        guard context.mail != nil else { return }
        do {
            for admin in try await admins(about: employee) { try await queue(to: admin, delay: delay, call) }
        } catch {
            context.logger.warning(
                "admins could not be told that somebody waits",
                metadata: ["requestId": "\(call.requestId)", "error": "\(error)"])
        }
    }

    private func queue(to admin: Admin, delay: Duration, _ call: Call) async throws {
        let time = call.time, ids = ids(of: admin, around: time)
        let streams = try await context.reader.streams(ids.map { .mail($0, in: ledger) })
        let last = try streams.values.compactMap { try dueTime(of: $0) }.max()
        let waits = try await context.pool.query(
            """
            SELECT 1 FROM tenure.mail_outbox WHERE ledger_id = \(ledger.uuid) AND recipient_id = \(admin.user.uuid)
                AND kind = \(MailKind.somebodyWaits.rawValue)
            """, in: [ledger])
        // A mail that no server took yet will say who waits then.
        guard waits.isEmpty, let due = Self.due(after: last, delay: delay, at: time) else { return }
        let mail = QueuedMail(
            .somebodyWaits, to: .user(admin.user), in: ledger, until: due.adding(Self.lifetime), at: due,
            id: id(of: admin, in: Self.slot(of: due)))
        var recorder = EventRecorder(context, at: time, metadata: EventMetadata(requestId: call.requestId))
        try recorder.queue(mail)
        do { try await recorder.append() } catch {
            // Another process has queued it.
            guard error.code == .versionConflict else { throw error }
        }
    }

    /// What became of the mails of the last hour, as a waiting browser is told.
    ///
    /// - Parameter start: When the browser began to wait: an earlier mail did not tell of it.
    func standing(about employee: EmployeeID, since start: Timestamp, at time: Timestamp) async throws -> WaitTold {
        guard context.mail != nil else { return .none }
        let ids = try await admins(about: employee).flatMap { self.ids(of: $0, around: time) }
        let streams = try await context.reader.streams(ids.map { .mail($0, in: ledger) })
        var isQueued = false, sent: Timestamp?
        for events in streams.values {
            guard let last = events.last else { continue }
            isQueued = isQueued || last.type == MailQueued.type
            if last.type == MailSent.type, last.time >= start { sent = max(sent ?? start, last.time) }
        }
        return sent.map { .at($0) } ?? (isQueued ? .soon : .none)
    }

    private var ledger: LedgerID { LedgerID(tenant.id.uuid) }

    /// The admins who get mails.
    ///
    /// - Parameter employee: Only those who may decide about this one.
    func admins(about employee: EmployeeID? = nil) async throws -> [Admin] {
        let state = tenant.state, isAdmin = employee.map { state.role(of: $0).isAdministrative } ?? false
        let appointed = isAdmin ? [] : state.admins.sorted { $0.value.place.position < $1.value.place.position }
        let ids = ([state.securityAdmin].compactMap(\.self) + appointed.map(\.key)).filter { $0 != employee }
        let loader = StateLoader(reader: context.reader)
        var admins: [Admin] = []
        for id in ids.prefix(Self.mostAdmins) {
            guard let account = try await loader.employee(id, in: tenant.id).state.account, account.status == .active
            else { continue }
            let user = try await loader.user(account.user).state
            guard Self.isReached(user, account),
                try await !WaitingMailSwitch(user: account.user, tenant: tenant.id, context).isOff()
            else { continue }
            admins.append(Admin(employee: id, user: account.user, isSecurityAdmin: id == state.securityAdmin))
        }
        return admins
    }

    /// Whether an admin has a confirmed address, and so gets mails.
    static func isReached(_ user: User.State, _ account: Employee.Account) -> Bool {
        user.holdsEmail && (user.isEmailVerified || account.isEmailVerified)
    }

    /// The ids of the mails of this hour and of the hours beside it.
    private func ids(of admin: Admin, around time: Timestamp) -> [MailID] {
        let slot = Self.slot(of: time)
        return (slot - 1...slot + 1).map { id(of: admin, in: $0) }
    }

    private func id(of admin: Admin, in slot: Int64) -> MailID {
        let text = Array("\(admin.employee)/\(slot)".utf8)
        return MailID(context.ring.lookupID(kind: "mail-somebody-waits", text, scope: tenant.id.uuid))
    }

    private static func slot(of time: Timestamp) -> Int64 {
        time.microseconds / (interval.components.seconds * 1_000_000)
    }

    /// When a mail was due, as its end tells.
    private func dueTime(of events: StreamEvents) throws -> Timestamp? {
        guard let first = events.first, let queued = try EventCodec.payload(of: first) as? MailQueued else {
            return nil
        }
        return queued.expiresAt.adding(.zero - Self.lifetime)
    }
}

/// Whether admins were told that a browser waits.
package enum WaitTold: Sendable, Equatable {
    /// No admin gets a mail.
    case none
    /// A mail is queued.
    case soon
    /// A mail server took a mail then.
    case at(Timestamp)
}

/// Whether an admin gets mails about who waits. A row of `tenure.budget` says that they want none, for a year.
struct WaitingMailSwitch: Sendable {
    private let ledger: LedgerID
    private let key: [UInt8]
    private let context: ServiceContext

    init(user: UserID, tenant: TenantID, _ context: ServiceContext) {
        ledger = LedgerID(tenant.uuid)
        key = context.ring.lookupDigest(kind: "budget-waiting-off", user.uuid.bytes, scope: tenant.uuid)
        self.context = context
    }

    func isOff() async throws -> Bool {
        let rows = try await context.pool.query(
            "SELECT 1 FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger])
        return !rows.isEmpty
    }

    func turnOn() async throws {
        _ = try await context.pool.query(
            "DELETE FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger])
    }

    func turnOff(at time: Timestamp) async throws {
        let forgotten = time.adding(.seconds(Int64(BudgetRules.yearSeconds))).postgres
        _ = try await context.pool.query(
            """
            INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(forgotten)) ON CONFLICT (ledger_id, key) DO NOTHING
            """, in: [ledger])
    }
}
