import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Judges decisions about recoveries in the tenant's ledger, and their waiting times.
extension AuthorityTrail {
    /// Returns what is wrong with an event about a recovery, or `nil`.
    ///
    /// The general checks of statements cover the signer's key and the named state of the ledger.
    func recovery(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case let payload as RecoveryOpened:
            return people(payload.userID, payload.employeeID, payload.openerID, payload.by)
                ?? recoveryDecided(event, .openRecovery, .open, payload.employeeID, payload.fingerprint, payload.by)
                ?? ownKey(payload.fingerprint, payload.by)
                ?? waits(payload, at: event.time)
        case let payload as RecoveryConfirmed:
            guard let opened = recoveries[payload.recoveryID.uuid] else {
                return "a recovery is confirmed that was never opened"
            }
            guard payload.confirmerID != opened.opener else {
                return "one person opened and confirmed the same recovery"
            }
            return people(payload.userID, payload.employeeID, payload.confirmerID, payload.by)
                ?? recoveryDecided(
                    event, .confirmRecovery, .confirm, payload.employeeID, opened.fingerprint, payload.by)
                ?? ownKey(opened.fingerprint, payload.by)
        case let payload as RecoveryCancelled:
            guard let opened = recoveries[payload.recoveryID.uuid] else {
                return "a recovery is cancelled that was never opened"
            }
            guard payload.by.statement != nil else {
                // The owner has logged in, perhaps in another tenant.
                let isOwner = payload.by == .employee(opened.employee, nil)
                return isOwner ? nil : AuthorityWords.unsigned(.cancelRecovery)
            }
            if mayObject(payload.by, to: opened) {
                return stated(event, .cancel, payload.employeeID, opened.fingerprint, payload.by)
            }
            return recoveryDecided(
                event, .cancelRecovery, .cancel, payload.employeeID, opened.fingerprint, payload.by)
        default: return nil
        }
    }

    /// Checks that the named users are those behind the employees. For an unknown employee the table reports that the
    /// decision is not permitted.
    private func people(
        _ user: UserID, _ employee: EmployeeID, _ decider: UserID, _ by: Authority
    ) -> String? {
        guard case .employee(let signer, _) = by else { return nil }
        guard employees[employee]?.account?.user == user, employees[signer]?.account?.user == decider else {
            return "the event names another person than the company's ledger"
        }
        return nil
    }

    /// Checks that the device key that a recovery is for does not decide about it.
    private func ownKey(_ key: KeyFingerprint, _ by: Authority) -> String? {
        guard let signed = by.statement, KeyFingerprint(of: signed.key) == key else { return nil }
        return "a device key decides about its own recovery"
    }

    private func recoveryDecided(
        _ event: RecordedEvent, _ action: AuthorityTable.Action, _ statement: RecoveryStatement.Action,
        _ employee: EmployeeID, _ key: KeyFingerprint, _ by: Authority
    ) -> String? {
        guard by.statement != nil else { return AuthorityWords.unsigned(action) }
        guard let subject = subject(employee) else { return "there is no such account" }
        let finding = decided(action, about: subject, by, event) { decision in
            guard AuthorityTable.permits(action, about: subject, by: decision) else {
                throw Tenant.Rejection.notPermitted
            }
            return [action]
        }
        return finding ?? stated(event, statement, employee, key, by)
    }

    private func stated(
        _ event: RecordedEvent, _ action: RecoveryStatement.Action, _ employee: EmployeeID, _ key: KeyFingerprint,
        _ by: Authority
    ) -> String? {
        var isOwn = false
        if case .employee(employee, _) = by { isOwn = action != .open }
        return compare(
            event, by, action.tag, isOwn: isOwn,
            telling: [["user", "employee", "key"]: "the statement is about another recovery"]
        ) { signed, facts in
            try facts.recovery(
                action, of: employees[employee]?.account?.user, employee, on: key, follows: signed.followsHash,
                seconds: signed.seconds, reason: signed.reason)
        }
    }

    /// Whether a key of the account cancels that was in force within the 30 days before, even if others have ended it.
    private func mayObject(_ by: Authority, to recovery: User.Recovery) -> Bool {
        guard case .employee(recovery.employee, let signed?) = by, let state = employees[recovery.employee],
            let account = state.account, let key = state.keys[signed.key]
        else { return false }
        return recovery.mayObject(key, of: account)
    }

    /// The tolerance by which an event's time may be later than its decision: an append raises it to the latest time of
    /// its ledgers.
    static let grace = Duration.seconds(900)

    /// Returns what is wrong with the times of a recovery, or `nil`.
    private func waits(_ opened: RecoveryOpened, at time: Timestamp) -> String? {
        guard !opened.soleAdmin || tenant.admins.isEmpty else {
            return "a recovery is opened under the rule for a sole admin, but the company has others"
        }
        let delay = Duration.seconds(tenant.recoveryDelayHours(at: time) * 3_600)
        let wait = User.OpenRecovery.wait(delay, soleAdmin: opened.soleAdmin)
        guard (times.earliest ?? time).adding(wait) <= opened.availableAt.adding(Self.grace) else {
            return "a recovery is available before the waiting time is over"
        }
        guard opened.expiresAt == opened.availableAt.adding(User.recoveryLifetime) else {
            return "a recovery does not end 72 hours after it becomes available"
        }
        return nil
    }

    /// Notes whether a key confirmed that was in force for the whole delay before the recovery was opened.
    mutating func learn(_ confirmed: RecoveryConfirmed) {
        guard let recovery = recoveries[confirmed.recoveryID.uuid],
            case .employee(recovery.employee, let signed?) = confirmed.by,
            let key = employees[recovery.employee]?.keys[signed.key], key.status == .authorized, recovery.isKnown(key)
        else { return }
        confirmedByKnownKey.insert(confirmed.recoveryID.uuid)
    }
}
