import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Judges the ends of waits, and the devices that were confirmed by mail, from the state of the ledger.
///
/// ``CauseTrail`` holds them against the proofs of the flows that they name, and against what they cause.
extension AuthorityTrail {
    static let waitWithoutKey = "a wait ends for a device key that is not in force"
    static let waitTooLate = "the challenge had expired"
    static let mailForNoKey = "a mail confirms a device key that is not pending"
    static let mailForAdmin = "a mail confirms a device key that only admins decide about"
    static let mailForStranger = "a mail confirms the first device key of somebody whom nobody knows"

    /// A wait ends for a key that is in force, and before its challenge expires.
    func waitEnded(_ event: RecordedEvent, _ payload: WaitEnded) -> String? {
        guard let state = employees[payload.employeeID], state.account?.status == .active,
            state.standing(of: payload.key, at: event.time) == .authorized
        else { return Self.waitWithoutKey }
        // In a ledger that is ahead, the recorded time is not that of the append.
        let expires = (try? Challenge(parsing: payload.challenge))?.fields.expires
        return expires.map { times.earliest ?? event.time <= $0 } ?? true ? nil : Self.waitTooLate
    }

    /// A mail confirms the pending key of an ordinary employee. The first key of an account needs more than a mailbox.
    func mailConfirmed(_ event: RecordedEvent, _ payload: DeviceMailConfirmed) -> String? {
        guard let state = employees[payload.employeeID], let account = state.account, account.status == .active,
            let key = state.key(payload.fingerprint), state.standing(of: key.key, at: event.time) == .pending
        else { return Self.mailForNoKey }
        guard tenant.role(of: account.id) == .employee, tenant.policy.keyAuthorization != .securityAdmin else {
            return Self.mailForAdmin
        }
        let isFirst = state.keys.values.allSatisfy { $0.authorized == nil }
        guard isFirst, tenant.policy.keyAuthorization == .application, tenant.confirmedDomains.isEmpty else {
            return nil
        }
        return invitations.values.contains { $0.end == .used(account.id) }
            ? nil : Self.mailForStranger
    }
}
