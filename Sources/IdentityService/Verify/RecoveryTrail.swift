import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Follows the recoveries of each user in one directory: two statements of two persons about one key, and the record that
/// names both.
///
/// Whether the signers had that authority then is followed in the company's ledger, which has the same events; here it is
/// held that each event is what its statement says, follows what the statement names, and is used once.
struct RecoveryTrail: Sendable {
    /// By how much the clocks of processes may differ when a recovery ends, in microseconds.
    private static let grace: Int64 = 900_000_000

    private struct Open: Sendable {
        let event: RecoveryOpened
        let leaf: [UInt8]
        var confirmed: [UInt8]?
    }
    private var open: [UUID: Open] = [:]
    /// The leaf hash of each user's latest event.
    private var latest: [UUID: [UInt8]] = [:]

    /// The types that it follows.
    static let types: Set<String> = [RecoveryOpened.type, RecoveryConfirmed.type, RecoveryCancelled.type]

    /// Takes the next event of a user, whatever it is; says what is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String? {
        guard event.stream.kind == "user" else { return nil }
        let user = event.stream.id
        defer { latest[user] = event.leaf }
        do {
            switch try Self.types.contains(event.type) ? EventCodec.payload(of: event) : nil {
            case let payload as RecoveryOpened: return opened(payload, event, user)
            case let payload as RecoveryConfirmed: return confirmed(payload, event, user)
            case let payload as RecoveryCancelled: return cancelled(payload, user)
            default:
                if event.type == UserErased.type || event.type == CredentialsChanged.type { open[user] = nil }
                return nil
            }
        } catch {
            return "the event about a recovery cannot be read"
        }
    }

    /// Whether a record that was made by a recovery names the two events, and the flow's device had the key that they name;
    /// says what is wrong, or nil. It is asked before the event is followed.
    func judge(_ record: CredentialsRecord, _ challenge: Challenge, _ event: RecordedEvent) -> String? {
        guard let recovery = open[event.stream.id], let confirmed = recovery.confirmed,
            record.content.authority == .recovered(recovery.leaf, confirmed)
        else { return "the record names no two decisions that were in force" }
        let fields = challenge.fields
        guard fields.purpose == .recovery, fields.tenant == recovery.event.tenant.uuid,
            fields.employeeKey.fingerprint == recovery.event.fingerprint.description,
            recovery.event.credentialID.uuid == fields.credential
        else { return "the credentials were set with another key than was decided on" }
        guard event.time.microseconds <= recovery.event.expiresAt.microseconds + Self.grace else {
            return "the recovery had expired"
        }
        return nil
    }

    private mutating func opened(_ payload: RecoveryOpened, _ event: RecordedEvent, _ user: UUID) -> String? {
        let follows = latest[user]
        open[user] = Open(event: payload, leaf: event.leaf)
        guard let statement = Self.statement(payload.by, .open) else {
            return "a recovery is opened without a signature"
        }
        guard payload.userID.uuid == user, payload.openerID != payload.userID else {
            return "nobody opens a recovery of their own"
        }
        guard statement.user == user, statement.employee == payload.employeeID.uuid,
            statement.context.tenant == payload.tenant.uuid, statement.keyHash == payload.fingerprint.bytes,
            statement.followsHash == follows, let seconds = statement.seconds,
            payload.expiresAt.microseconds <= event.time.microseconds + seconds * 1_000_000
        else { return "the statement is about another recovery" }
        return nil
    }

    private mutating func confirmed(_ payload: RecoveryConfirmed, _ event: RecordedEvent, _ user: UUID) -> String? {
        guard let recovery = open[user], recovery.event.recoveryID == payload.recoveryID else {
            return "a recovery is confirmed that is not open"
        }
        guard recovery.confirmed == nil else { return "a recovery is confirmed twice" }
        open[user]?.confirmed = event.leaf
        guard payload.confirmerID != recovery.event.openerID else { return "one person decided twice" }
        guard let statement = Self.statement(payload.by, .confirm) else {
            return "a recovery is confirmed without a signature"
        }
        guard isAbout(recovery, payload.userID, payload.tenant, payload.employeeID, statement),
            payload.opened.bytes == recovery.leaf
        else { return "the statement is about another recovery" }
        return nil
    }

    private mutating func cancelled(_ payload: RecoveryCancelled, _ user: UUID) -> String? {
        guard let recovery = open[user], recovery.event.recoveryID == payload.recoveryID else {
            return "a recovery is cancelled that is not open"
        }
        open[user] = nil
        // The owner who logs in signs no statement: the log-in is the reason, and nothing is gained by it.
        guard case .employee(_, .some) = payload.by else { return nil }
        guard let statement = Self.statement(payload.by, .cancel),
            isAbout(recovery, payload.userID, payload.tenant, payload.employeeID, statement)
        else { return "the statement is about another recovery" }
        return nil
    }

    private func isAbout(
        _ recovery: Open, _ user: UserID, _ tenant: TenantID, _ employee: EmployeeID, _ statement: RecoveryStatement
    ) -> Bool {
        let event = recovery.event
        return event.userID == user && event.tenant == tenant && event.employeeID == employee
            && statement.user == user.uuid && statement.employee == employee.uuid
            && statement.context.tenant == tenant.uuid && statement.keyHash == event.fingerprint.bytes
            && statement.followsHash == recovery.leaf
    }

    private static func statement(_ by: Authority, _ action: RecoveryStatement.Action) -> RecoveryStatement? {
        guard case .employee(_, let signed?) = by else { return nil }
        return try? RecoveryStatement(parsing: signed.statement, expecting: action.tag)
    }
}
