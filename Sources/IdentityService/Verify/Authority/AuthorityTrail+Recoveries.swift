import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Who decided about a recovery, in the company's ledger: the security admin opens, another person confirms.
extension AuthorityTrail {
    /// What is wrong with an event about a recovery, or nil.
    ///
    /// That the signature is by a key in force, and on a view that the ledger had, is held for these as for all statements.
    func recovery(_ event: RecordedEvent, _ by: AuthorityMember) -> String? {
        guard let payload = try? EventCodec.payload(of: event) else {
            return "the event about a recovery cannot be read"
        }
        switch payload {
        case let payload as RecoveryOpened:
            guard let signer = by.employee, signer == securityAdmin?.employee else {
                return "a recovery is not opened by the security admin"
            }
            return people(payload.userID, payload.employeeID, payload.openerID, signer)
                ?? statement(event, by, .open, payload.fingerprint)
        case let payload as RecoveryConfirmed:
            guard let opened = recoveries[payload.recoveryID.uuid], let signer = by.employee else {
                return "a recovery is confirmed that was not opened"
            }
            guard users[signer] != opened.openerID.uuid else { return "one person decided twice" }
            return people(payload.userID, payload.employeeID, payload.confirmerID, signer)
                ?? admin(signer, or: payload.employeeID) ?? statement(event, by, .confirm, opened.fingerprint)
        case let payload as RecoveryCancelled:
            guard let opened = recoveries[payload.recoveryID.uuid] else {
                return "a recovery is cancelled that was not opened"
            }
            // Without a statement the owner has logged in, perhaps in another company.
            guard by.signed != nil, let signer = by.employee else { return nil }
            return admin(signer, or: payload.employeeID) ?? statement(event, by, .cancel, opened.fingerprint)
        default: return nil
        }
    }

    /// The users whom the event names are those behind the employees.
    private func people(_ user: UserID, _ employee: EmployeeID, _ decider: UserID, _ signer: UUID) -> String? {
        guard users[employee.uuid] == user.uuid, users[signer] == decider.uuid else {
            return "the event names another person than the company's ledger"
        }
        return nil
    }

    private func admin(_ signer: UUID, or employee: EmployeeID) -> String? {
        let isAdmin = signer == securityAdmin?.employee || admins[signer] != nil
        return isAdmin || signer == employee.uuid ? nil : "the signer may not decide about a recovery"
    }

    private func statement(
        _ event: RecordedEvent, _ by: AuthorityMember, _ action: RecoveryStatement.Action, _ key: Fingerprint
    ) -> String? {
        guard let signed = by.signed else { return "a recovery is decided without a signature" }
        return read(RecoveryStatement.self, action.tag, signed.statement) { statement in
            let employee = event.data["employeeId"]?.uuid
            let isOwn = action != .open && by.employee == employee
            guard statement.user == event.data["userId"]?.uuid, statement.employee == employee,
                statement.keyHash == key.bytes
            else { return "the statement is about another recovery" }
            return context(statement.context, event, by, isOwn: isOwn)
        }
    }
}
