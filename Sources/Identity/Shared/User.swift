package import Canonical
package import ErrorCodes

/// A person across tenants: the owner of the credentials.
package enum User: Decider {
    package typealias Event = UserEvent

    /// The state of a user, folded from its events.
    package struct State: Sendable, Equatable {
        /// The user, once credentials are set.
        package internal(set) var id: UserID?
        /// The credentials in force.
        package internal(set) var credentials: Credentials?
        /// The address as entered; `nil` once released or erased.
        package internal(set) var email: Personal?
        /// Where the address was recorded, and whether it is verified; `nil` once released or erased.
        package internal(set) var address: Address?
        /// The event that released the address.
        package internal(set) var released: EventPlace?
        /// When the address gave way to somebody who reads its mail; `nil` if it never did.
        package internal(set) var gaveWayAt: Timestamp?
        /// The last change of the address, until it is undone.
        package internal(set) var change: EmailChange?
        /// All credentials that the user ever had; an erasure destroys their seeds.
        package internal(set) var everyCredential: [CredentialID] = []
        /// The most recent recovery that has not ended; it may have expired.
        package internal(set) var recovery: Recovery?
        /// The language of mails and notices; `nil` if it is not known, or its text was not opened.
        package internal(set) var language: MailLanguage?
        /// How often a language was chosen.
        package internal(set) var languageChoices = 0
        /// Whether the user was erased for good.
        package internal(set) var isErased = false

        /// Whether the user still has the address.
        package var holdsEmail: Bool { email != nil }
    }

    package struct Credentials: Sendable, Equatable {
        package let id: CredentialID
        /// The record, as its construction defines it.
        package let record: [UInt8]
        /// The event that set them.
        package let place: EventPlace
        /// When a recovery set them; `nil` if their owner did.
        package var recoveredAt: Timestamp?
        /// Whether nobody knows the secret: the person logs in with passkeys.
        package var isSecretless = false
    }

    package enum Command: Sendable, Equatable {
        /// Create the user with credentials. The record was verified before.
        case setCredentials(CredentialsSet)
        /// Create the user with credentials and an address whose mailbox the flow proved.
        case setProvedCredentials(CredentialsSet)
        /// Replace the credentials that the event names. The record was verified before.
        case changeCredentials(CredentialsChanged)
        case openRecovery(OpenRecovery)
        case confirmRecovery(ConfirmRecovery)
        /// Cancel the open recovery before credentials are set.
        case cancelRecovery(CancelRecovery)
        /// End an open recovery, if there is one, after the user proved the credentials on a device that may cancel.
        case endRecovery(EndRecovery)
        /// Replace the credentials by a recovery. The record was verified before.
        case recoverCredentials(RecoverCredentials)
        /// Verify the address that the event at this position has, by the link of a mail, perhaps in a browser that
        /// held a session of the user's own account.
        case verifyEmail(address: Int64, browserOf: EmployeeID? = nil)
        /// Choose the language of mails and notices.
        case chooseLanguage(MailLanguage)
        /// Release the address, because a tenant reclaimed it or released the user's last account.
        case releaseEmail(tenant: TenantID)
        /// Take the unconfirmed address for a user who proved its mailbox.
        case giveWay(GiveWay)
        /// Change the address, after a signed decision in one of the user's tenants.
        case changeEmail(ChangeEmail)
        /// Undo the change that the event at this position made, by the link of a mail to the former address.
        case undoEmailChange(Int64, at: Timestamp)
        /// Register in another company by a passkey. Its assertion was verified before.
        case join(JoinByPasskey)
        /// Erase the personal data and the credentials.
        case erase(AuthorityDecision)
    }

    package enum Rejection: CodedRejection, CaseIterable {
        /// The user has credentials, which can only be changed.
        case credentialsExist
        /// The credentials to be replaced are no longer in force.
        case credentialsReplaced
        /// There is no such user.
        case unknownUser
        case notPermitted
        /// Another recovery of the user is open.
        case recoveryInProgress
        /// There is no such recovery, or it has ended.
        case recoveryUnknown
        /// The recovery that a flow relied on has ended.
        case recoveryEnded
        /// The user has accounts in other tenants, this tenant does not own the address, and no known device key
        /// confirms.
        case otherCompanies
        /// The waiting time of the recovery is not over.
        case recoveryNotAvailable
        /// The user does not have the address any more.
        case emailReplaced
        /// The address is confirmed, or somebody vouched for its holder.
        case emailKept
        /// The former address can still undo the last change.
        case emailChangeOpen

        package var code: ErrorCode {
            switch self {
            case .credentialsExist: .flowWrongStep
            case .credentialsReplaced, .recoveryEnded, .emailReplaced, .emailKept: .requestStale
            case .unknownUser: .emailNotReclaimable
            case .notPermitted, .emailChangeOpen: .authorizationNotPermitted
            case .recoveryInProgress: .recoveryInProgress
            case .recoveryUnknown: .recoveryUnknown
            case .otherCompanies: .recoveryOtherCompanies
            case .recoveryNotAvailable: .recoveryNotAvailable
            }
        }
    }

    package static let initial = State()

    /// Applies an event to the state.
    ///
    /// Credentials are set once, and replaced only by others than the user ever had. The end of another recovery
    /// than the open one changes nothing.
    package static func evolve(_ state: inout State, _ recorded: Recorded<UserEvent>) {
        switch recorded.event {
        case .credentialsSet(let event):
            guard state.id == nil, state.credentials == nil, !state.isErased else { return }
            state.email = event.email
            state.address = Address(place: recorded.place)
            state.id = event.userID
            state.credentials = Credentials(
                id: event.credentialID, record: event.record, place: recorded.place,
                isSecretless: event.secretless == true)
            state.everyCredential.append(event.credentialID)
        case .credentialsChanged(let event):
            guard !state.isErased, !state.everyCredential.contains(event.credentialID) else { return }
            // A change by the owner cancels an open recovery first.
            let recoveredAt = state.recovery?.isApproved == true ? recorded.time : nil
            state.credentials = Credentials(
                id: event.credentialID, record: event.record, place: recorded.place, recoveredAt: recoveredAt,
                isSecretless: event.secretless == true)
            state.everyCredential.append(event.credentialID)
            state.recovery = nil
        case .recoveryOpened(let event): state.recovery = Recovery(event, at: recorded.place, recorded.time)
        case .recoveryConfirmed(let event):
            state.recovery?.confirmation = Confirmation(place: recorded.place, time: recorded.time, by: event.by)
            state.recovery?.version += 1
        case .recoveryCancelled(let event):
            if state.recovery?.id == event.recoveryID { state.recovery = nil }
        case .emailVerified(let event):
            // The first event of a stream has the address; the second one may verify it in the same append.
            if event.address.map({ $0 == state.address?.place.position }) ?? (recorded.version == 2) {
                state.address?.verifiedAt = recorded.time
                state.address?.verifiedInBrowserOf = event.browserOf
            }
        case .languageChosen(let event):
            state.language = event.language.text.flatMap(MailLanguage.init)
            state.languageChoices += 1
        case .emailReleased:
            state.email = nil
            state.address = nil
            state.released = recorded.place
        case .emailGaveWay:
            state.email = nil
            state.address = nil
            state.released = recorded.place
            state.gaveWayAt = recorded.time
        case .emailChanged(let event): evolve(&state, event, recorded)
        case .emailChangeUndone(let event): evolve(&state, event, at: recorded.time)
        case .joinedByPasskey: break
        case .erased:
            state.change = nil
            state.email = nil
            state.address = nil
            state.credentials = nil
            state.recovery = nil
            state.language = nil
            state.isErased = true
        }
    }

    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [UserEvent] {
        switch command {
        case .setCredentials(let event):
            guard state.id == nil else { throw .credentialsExist }
            return [.credentialsSet(event)]
        case .setProvedCredentials(let event):
            return try decide(state, .setCredentials(event)) + [.emailVerified(EmailVerified(userID: event.userID))]
        case .changeCredentials(let event):
            // A former id would restore a record whose seeds are destroyed.
            guard state.credentials?.id == event.previousCredentialID, state.id == event.userID,
                !state.everyCredential.contains(event.credentialID)
            else { throw .credentialsReplaced }
            return [.credentialsChanged(event)]
        case .openRecovery(let open): return try decide(state, open)
        case .confirmRecovery(let confirm): return try decide(state, confirm)
        case .cancelRecovery(let cancel): return try decide(state, cancel)
        case .endRecovery(let end): return endRecovery(state, end)
        case .recoverCredentials(let recover): return try decide(state, recover)
        case .verifyEmail(let position, let employee):
            return try verifyEmail(state, at: position, browserOf: employee)
        case .chooseLanguage(let language): return try chooseLanguage(state, language)
        case .releaseEmail(let tenant):
            guard let id = state.id else { throw .unknownUser }
            return state.holdsEmail
                ? [.emailReleased(EmailReleased(userID: id, tenant: tenant))] : []
        case .giveWay(let give): return try decide(state, give)
        case .changeEmail(let change): return try decide(state, change)
        case .join(let join): return try decide(state, join)
        case .undoEmailChange(let position, let time): return try undoEmailChange(state, position, at: time)
        case .erase(let decision):
            guard let id = state.id else { throw .unknownUser }
            // The table has the same row for every account of the user.
            guard AuthorityTable.permits(.erase, about: .newcomer, by: decision) else { throw .notPermitted }
            return state.isErased ? [] : [.erased(UserErased(userID: id, by: decision.authority))]
        }
    }
}

/// An event of a user and their credentials.
package enum UserEvent: AggregateEvent {
    case credentialsSet(CredentialsSet)
    case credentialsChanged(CredentialsChanged)
    case recoveryOpened(RecoveryOpened)
    case recoveryConfirmed(RecoveryConfirmed)
    case recoveryCancelled(RecoveryCancelled)
    case emailVerified(EmailVerified)
    case languageChosen(LanguageChosen)
    case emailReleased(EmailReleased)
    case emailGaveWay(EmailGaveWay)
    case emailChanged(EmailChanged)
    case emailChangeUndone(EmailChangeUndone)
    case joinedByPasskey(JoinedByPasskey)
    case erased(UserErased)

    package static let cases = AggregateCases<UserEvent>(
        credentialsSet, credentialsChanged, recoveryOpened, recoveryConfirmed, recoveryCancelled, emailVerified,
        languageChosen, emailReleased, emailGaveWay, emailChanged, emailChangeUndone,
        joinedByPasskey, erased)

    package var payload: any EventPayload {
        switch self {
        case .credentialsSet(let event): event
        case .credentialsChanged(let event): event
        case .recoveryOpened(let event): event
        case .recoveryConfirmed(let event): event
        case .recoveryCancelled(let event): event
        case .emailVerified(let event): event
        case .languageChosen(let event): event
        case .emailReleased(let event): event
        case .emailGaveWay(let event): event
        case .emailChanged(let event): event
        case .emailChangeUndone(let event): event
        case .joinedByPasskey(let event): event
        case .erased(let event): event
        }
    }
}
