public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A human across tenants: the owner of the credentials.
public enum User: Decider {
    /// What happens to a user.
    public typealias Event = UserEvent

    /// What is known of a user.
    public struct State: Sendable, Equatable {
        /// The user, once credentials are set.
        public internal(set) var id: UserID?
        /// The credentials in force.
        public internal(set) var credentials: Credentials?
        /// The address as entered; nil once released.
        public internal(set) var email: Personal?
        /// The event that took the address away.
        public internal(set) var released: EventPlace?
        /// The credentials the user ever had, whose seeds an erasure destroys.
        public internal(set) var everyCredential: [CredentialID] = []
        /// The recovery that was opened last and did not end; it may have expired.
        public internal(set) var recovery: Recovery?
        /// Whether the user was erased, which is for ever.
        public internal(set) var isErased = false

        /// Whether the user still has the address that made them.
        public var holdsEmail: Bool { email != nil }
    }

    /// The credentials of a user.
    public struct Credentials: Sendable, Equatable {
        /// The credentials.
        public let id: CredentialID
        /// The record, as its construction defines it.
        public let record: [UInt8]
        /// The event that set them.
        public let place: EventPlace
    }

    /// What somebody wants of a user.
    public enum Command: Sendable, Equatable {
        /// Make the user, with credentials; the record was verified before.
        case setCredentials(CredentialsSet)
        /// Replace the credentials that the event names; the record was verified before.
        case changeCredentials(CredentialsChanged)
        /// Open a recovery of the credentials.
        case openRecovery(OpenRecovery)
        /// Confirm the recovery that is open.
        case confirmRecovery(ConfirmRecovery)
        /// End the recovery that is open, before credentials are set.
        case cancelRecovery(CancelRecovery)
        /// End the recovery that is open, if one is, because the owner showed that they have credentials and a device.
        case endRecovery(Timestamp)
        /// Replace the credentials by a recovery; the record was verified before.
        case recoverCredentials(RecoverCredentials)
        /// Take the address away, because a tenant reclaimed it.
        case releaseEmail(tenant: TenantID, cause: UUID)
        /// Erase the personal data and the credentials.
        case erase(Caller)
    }

    /// Why a command is refused.
    public enum Rejection: CodedRejection, CaseIterable {
        /// The user has credentials: they are changed by another way, never set again.
        case credentialsExist
        /// Other credentials are in force than those that were to be replaced.
        case credentialsReplaced
        /// There is no such user.
        case unknownUser
        /// The caller may not decide this.
        case notPermitted
        /// Another recovery of the user is open.
        case recoveryInProgress
        /// There is no such recovery, or none any more.
        case recoveryUnknown
        /// The recovery on which a flow relied is not there any more.
        case recoveryEnded
        /// The user has accounts in other companies, and the company does not own the user's address.
        case otherCompanies

        /// The code of the contract.
        public var code: String {
            switch self {
            case .credentialsExist: "flow.wrong_step"
            case .credentialsReplaced, .recoveryEnded: "request.stale"
            case .unknownUser: "email.not_reclaimable"
            case .notPermitted: "authorization.not_permitted"
            case .recoveryInProgress: "recovery.in_progress"
            case .recoveryUnknown: "recovery.unknown"
            case .otherCompanies: "recovery.other_companies"
            }
        }
    }

    /// Nothing is known.
    public static let initial = State()

    /// Takes an event into the state.
    public static func evolve(_ state: inout State, _ recorded: Recorded<UserEvent>) {
        switch recorded.event {
        case .credentialsSet(let event):
            if state.id == nil { state.email = event.email }
            state.id = event.userID
            state.credentials = Credentials(id: event.credentialID, record: event.record, place: recorded.place)
            state.everyCredential.append(event.credentialID)
        case .credentialsChanged(let event):
            state.credentials = Credentials(id: event.credentialID, record: event.record, place: recorded.place)
            state.everyCredential.append(event.credentialID)
            state.recovery = nil
        case .recoveryOpened(let event): state.recovery = Recovery(event, at: recorded.place)
        case .recoveryConfirmed: state.recovery?.confirmed = recorded.place
        case .recoveryCancelled: state.recovery = nil
        case .emailReleased:
            state.email = nil
            state.released = recorded.place
        case .erased:
            state.email = nil
            state.credentials = nil
            state.recovery = nil
            state.isErased = true
        }
    }

    /// The events that a command leads to; none when it asks for what is so already.
    public static func decide(_ state: State, _ command: Command) throws(Rejection) -> [UserEvent] {
        switch command {
        case .setCredentials(let event):
            guard state.id == nil else { throw .credentialsExist }
            return [.credentialsSet(event)]
        case .changeCredentials(let event):
            // An id of the past would bring back a record whose seeds are destroyed.
            guard state.credentials?.id == event.previousCredentialID, state.id == event.userID,
                !state.everyCredential.contains(event.credentialID)
            else { throw .credentialsReplaced }
            return [.credentialsChanged(event)]
        case .openRecovery(let open): return try decide(state, open)
        case .confirmRecovery(let confirm): return try decide(state, confirm)
        case .cancelRecovery(let cancel): return try decide(state, cancel)
        case .endRecovery(let time): return endRecovery(state, time)
        case .recoverCredentials(let recover): return try decide(state, recover)
        case .releaseEmail(let tenant, let cause):
            guard let id = state.id else { throw .unknownUser }
            return state.holdsEmail
                ? [.emailReleased(EmailReleased(userID: id, tenant: tenant, cause: cause))] : []
        case .erase(let caller):
            guard AdminAuthority.permitsErasing(caller) else { throw .notPermitted }
            guard let id = state.id else { throw .unknownUser }
            return state.isErased ? [] : [.erased(UserErased(userID: id, by: caller.authority(nil)))]
        }
    }
}
