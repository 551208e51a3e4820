package import Canonical
package import ErrorCodes

/// A user's account in a tenant, with its device keys.
package enum Employee: Decider {
    package typealias Event = EmployeeEvent

    /// No account and no device keys.
    package static let initial = State()

    /// The time for which a presented device key stays pending, unless the device asks again.
    package static let pendingLifetime: Duration = .seconds(86_400)
    /// The time after which a device that asks again presents its pending key anew.
    package static let pendingRenewal: Duration = .seconds(43_200)

    /// The time after which a provisional employee id without an authorized device key may be released.
    package static let provisionalLifetime: Duration = .seconds(30 * 86_400)

    /// The largest number of pending device keys of one employee.
    package static let pendingLimit = 10

    /// How often a device may be named: every decision about an employee reads these events too.
    package static let namingLimit = 20

    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [EmployeeEvent] {
        switch command {
        case .register(let register): try decide(state, register)
        case .presentKey(let present): try decide(state, present)
        case .authorizeKey(let authorize): try decide(state, authorize)
        case .refuseKey(let refuse): try Employee.refuse(state, refuse)
        case .revokeKey(let revoke): try Employee.revoke(state, revoke)
        case .nameDevice(let name): try decide(state, name)
        case .notePasskey(let note): try decide(state, note)
        case .setDisplayName(let set): try decide(state, set)
        case .approve(let approve): try decide(state, approve)
        case .cancel(let cancel): try decide(state, cancel)
        case .reinstate(let reinstate): try decide(state, reinstate)
        case .reclaimEmail(let reclaim): try decide(state, reclaim)
        case .changeEmail(let change): try decide(state, change)
        case .followEmail(let email): followEmail(state, email)
        case .endSessions(let end): try decide(state, end)
        case .releaseID(let release): try decide(state, release)
        case .erase(let erase): try decide(state, erase)
        case .requestReturn(let request): try decide(state, request)
        case .openReturn(let open): try decide(state, open)
        case .completeReturn(let complete): try decide(state, complete)
        case .cancelReturn(let cancel): try decide(state, cancel)
        case .endReturn(let end): try decide(state, end)
        case .bringBack(let back): try decide(state, back)
        }
    }
}

extension Employee {
    package enum Command: Sendable, Equatable {
        /// Register the account with its first device key.
        case register(Register)
        /// Present a device key, after a valid proof.
        case presentKey(PresentKey)
        /// Authorize a pending device key.
        case authorizeKey(AuthorizeKey)
        /// Refuse a pending device key.
        case refuseKey(EndKey)
        /// Revoke an authorized device key.
        case revokeKey(EndKey)
        case nameDevice(NameDevice)
        /// Notes what an assertion says of its passkey.
        case notePasskey(NotePasskey)
        /// Set the name that colleagues see.
        case setDisplayName(SetDisplayName)
        case approve(Approve)
        case cancel(Cancel)
        /// Reinstate a cancelled employee.
        case reinstate(Reinstate)
        /// Reclaim an address that the tenant owns.
        case reclaimEmail(ReclaimEmail)
        /// Change the address of the account's user.
        case changeEmail(ChangeEmail)
        /// Take over the address that the user has now.
        case followEmail(String)
        case endSessions(EndSessions)
        /// Release the provisional employee id.
        case releaseID(ReleaseID)
        /// Erase the personal data.
        case erase(Erase)
        /// Ask for the return of a security admin who is alone.
        case requestReturn(RequestReturn)
        /// Open the return that was asked for.
        case openReturn(OpenReturn)
        case completeReturn(CompleteReturn)
        /// Cancel the open return or undo the completed one, signed.
        case cancelReturn(CancelReturn)
        /// Cancel the open return, because its owner showed up.
        case endReturn(EndReturn)
        /// Put the pending device keys in force that a succession of the operator names.
        case bringBack(BringBack)
    }
}

extension Employee {
    package enum Rejection: CodedRejection, CaseIterable {
        /// The account exists already.
        case alreadyRegistered
        /// There is no account.
        case unknownEmployee
        /// The address's domain is not the tenant's name.
        case emailNotCompanyOwned
        /// The address is a dummy address of another employee.
        case emailOutOfScope
        /// The employee is cancelled.
        case inactive
        /// No device key is pending, or in force, where the command requires one.
        case unknownKey
        /// The device key was refused or revoked for good.
        case keyRevoked
        /// The employee has as many pending device keys as allowed.
        case tooManyWaitingKeys
        /// The device, or the person, was named as often as allowed.
        case tooManyNames
        case notPermitted
        /// The device key was to authorize itself.
        case selfAuthorization
        /// The security admin must name a successor first.
        case securityAdmin
        /// The tenant does not own the address, or its domain is not confirmed.
        case emailNotReclaimable
        /// The account is not that of a security admin who is alone. Or its address was not verified, or its
        /// credentials were recovered, within the last 30 days.
        case returnNotPermitted
        /// Another return is open.
        case returnInProgress
        /// There is no such return, or it has ended.
        case returnUnknown
        /// The wait of the return is not over.
        case returnNotAvailable
        /// The credentials were replaced meanwhile.
        case returnStale
        /// The passkey, its credential id or its handle is not what the account's events fix.
        case passkeyDiffers

        package var code: ErrorCode {
            switch self {
            case .alreadyRegistered: .employeeAlreadyRegistered
            case .unknownEmployee: .employeeUnknown
            case .emailOutOfScope: .emailInvalid
            case .emailNotCompanyOwned: .emailNotCompanyOwned
            case .inactive: .employeeInactive
            case .unknownKey: .authorizationUnknownKey
            case .keyRevoked, .tooManyWaitingKeys, .tooManyNames, .notPermitted, .selfAuthorization, .securityAdmin,
                .passkeyDiffers:
                .authorizationNotPermitted
            case .emailNotReclaimable: .emailNotReclaimable
            case .returnNotPermitted: .returnNotPermitted
            case .returnInProgress: .returnInProgress
            case .returnUnknown: .returnUnknown
            case .returnNotAvailable: .returnNotAvailable
            case .returnStale: .requestStale
            }
        }

        /// The reason of a rejection that shares its code with others.
        package var reason: String? {
            switch self {
            case .keyRevoked: "the device key was refused or revoked for good: present a new key"
            case .tooManyWaitingKeys:
                "too many device keys of this employee are pending: have an admin refuse some, or wait until they expire"
            case .tooManyNames: "the name was changed too often: it stays as it is"
            case .notPermitted: "the caller's role, or the company's policy, does not permit this decision"
            case .selfAuthorization:
                "a device key cannot authorize itself: use another authorized device, or ask an admin"
            case .securityAdmin:
                "the security admin keeps the account, the role and one device key that carries it: name a successor first"
            case .passkeyDiffers: "the account knows this passkey, or its handle, differently: make a new passkey"
            case .unknownKey: "no device key with this fingerprint is in the state that the decision needs"
            default: nil
            }
        }
    }
}

extension Employee {
    /// Applies an event to the state.
    ///
    /// An event about an unknown key or account changes nothing, nor does one that no decision makes in the state: a
    /// second registration, a new presentation or authorization of a key that ended, the reinstatement of an account
    /// that was erased, reclaimed or released.
    package static func evolve(_ state: inout State, _ recorded: Recorded<EmployeeEvent>) {
        switch recorded.event {
        case .registered(let event):
            guard state.account == nil else { return }
            state.account = Account(
                id: event.employeeID, user: event.userID, companyEmployeeID: event.companyEmployeeID,
                email: event.email, isCompanyOwnedEmail: event.isCompanyOwnedEmail, registered: recorded.place,
                registeredAt: recorded.time,
                isApproved: event.approved)
        case .keyPresented(let event):
            guard state.keys[event.key].map({ $0.status == .pending }) ?? true else { return }
            state.keys[event.key] = Key(
                key: event.key, fingerprint: KeyFingerprint(of: event.key), status: .pending, isFirst: event.first,
                flow: event.flow, presentedAt: recorded.time,
                presented: recorded.place, authorized: nil, authorizedBy: nil,
                passkey: event.passkey.map { Passkey($0, at: recorded.time) }, holding: KeyHolding(event))
            if state.userHandle == nil { state.userHandle = event.passkey?.userHandle }
        case .passkeyValidated(let event):
            evolvePasskey(&state, event.fingerprint) { $0.count(event.evidence.passkeyCounter, at: recorded.time) }
        case .passkeyBackupChanged(let event):
            evolvePasskey(&state, event.fingerprint) { $0.isBackedUp = event.backedUp }
        case .passkeyCounted(let event):
            evolvePasskey(&state, event.fingerprint) { $0.count(event.counter, at: recorded.time) }
        case .passkeyCounterRepeated(let event):
            evolvePasskey(&state, event.fingerprint) { passkey in
                passkey.counterRepeats += 1
                passkey.copiedSince = passkey.copiedSince ?? recorded.time
            }
        case .keyAuthorized(let event): authorize(&state, event, recorded)
        case .keyRefused(let event):
            guard state.keys[event.key]?.hasEnded == false else { return }
            end(&state, event.key, .refused, recorded.time, event.by)
        case .keyRevoked(let event):
            guard state.keys[event.key]?.hasEnded == false else { return }
            end(&state, event.key, .revoked, recorded.time, event.by)
        case .deviceNamed(let event):
            if state.key(event.fingerprint) != nil { state.namings[event.fingerprint, default: 0] += 1 }
        case .displayNameSet: state.displayNamings += 1
        case .approved(let event):
            state.account?.isApproved = true
            if event.by.statement != nil { state.belongsToSomebody = true }
            if event.emailVerified, state.account?.emailVerifiedAt == nil {
                state.account?.emailVerifiedAt = recorded.time
            }
        case .cancelled(let event):
            // Of two cancellations only a reclaim's is a decision: who cancelled tells who may reinstate.
            if state.account?.isCancelled == false || event.reason == .reclaimed {
                state.account?.cancelledBy = event.by
            }
            state.account?.isCancelled = true
            state.sessionsEndedAt = recorded.position
            endKeys(&state, recorded.time, event.by)
            if event.reason == .reclaimed { state.account?.isReclaimed = true }
        case .reinstated:
            guard let account = state.account, !account.isErased, !account.isReclaimed, !account.isReleased else {
                return
            }
            state.account?.isCancelled = false
        case .emailReclaimed(let event):
            state.account?.isCancelled = true
            state.account?.isReclaimed = true
            endKeys(&state, recorded.time, event.by)
        case .emailChanged(let event):
            state.account?.email = event.email
            state.account?.isCompanyOwnedEmail = false
            state.account?.emailVerifiedAt = nil
        case .idReleased(let event):
            state.account?.isCancelled = true
            state.account?.isReleased = true
            endKeys(&state, recorded.time, event.by)
        case .sessionsEnded: state.sessionsEndedAt = recorded.position
        case .returnRequested, .returnOpened, .returnCompleted, .returnCancelled: evolveReturn(&state, recorded)
        case .erased(let event):
            state.account?.isCancelled = true
            state.account?.isErased = true
            endKeys(&state, recorded.time, event.by)
        }
    }

    /// Authorizes a key. It is vouched if founding, an admin or a vouched key of the same account authorized it.
    private static func authorize(
        _ state: inout State, _ event: EmployeeKeyAuthorized, _ recorded: Recorded<EmployeeEvent>
    ) {
        state.belongsToSomebody = true
        switch event.by {
        case .employee(let signer, _): state.vouchers.insert(signer)
        case .app, .operator: state.isVouchedByApp = true
        case .founding, .policy: break
        }
        guard var key = state.keys[event.key], !key.hasEnded else { return }
        if key.status != .authorized { key.authorizedAt = recorded.time }
        key.status = .authorized
        key.authorized = recorded.place
        key.authorizedBy = event.by
        key.passkey?.copiedSince = nil
        switch event.by {
        case .founding: key.isVouched = true
        case .employee(let signer, let signed):
            let isOwn = signer == state.account?.id
            key.isVouched = !isOwn || signed.flatMap { state.keys[$0.key] }?.isVouched == true
        case .app, .policy, .operator: key.isVouched = false
        }
        state.keys[event.key] = key
    }

    static func endKeys(_ state: inout State, _ time: Timestamp, _ by: Authority) {
        for key in state.keys.keys where state.keys[key]?.status != .revoked { end(&state, key, .revoked, time, by) }
    }

    static func end(
        _ state: inout State, _ key: PublicKeyBytes, _ status: KeyStatus, _ time: Timestamp, _ by: Authority
    ) {
        state.keys[key]?.status = status
        state.keys[key]?.endedAt = time
        state.keys[key]?.endedBy = by
    }
}

package enum EmployeeEvent: AggregateEvent {
    case registered(EmployeeRegistered)
    case keyPresented(EmployeeKeyPresented)
    case keyAuthorized(EmployeeKeyAuthorized)
    case keyRefused(EmployeeKeyRefused)
    case keyRevoked(EmployeeKeyRevoked)
    case passkeyValidated(PasskeyValidated)
    case passkeyBackupChanged(PasskeyBackupChanged)
    case passkeyCounted(PasskeyCounted)
    case passkeyCounterRepeated(PasskeyCounterRepeated)
    case deviceNamed(DeviceNamed)
    case displayNameSet(DisplayNameSet)
    case approved(EmployeeApproved)
    case cancelled(EmployeeCancelled)
    case reinstated(EmployeeReinstated)
    case emailReclaimed(EmailReclaimed)
    case emailChanged(EmployeeEmailChanged)
    case erased(EmployeeErased)
    case idReleased(EmployeeIdReleased)
    case sessionsEnded(EmployeeSessionsEnded)
    case returnRequested(ReturnRequested)
    case returnOpened(ReturnOpened)
    case returnCompleted(ReturnCompleted)
    case returnCancelled(ReturnCancelled)

    package static let cases = AggregateCases<EmployeeEvent>(
        registered, keyPresented, keyAuthorized, keyRefused, keyRevoked, passkeyValidated, passkeyBackupChanged,
        passkeyCounted, passkeyCounterRepeated, deviceNamed, displayNameSet, approved, cancelled, reinstated,
        emailReclaimed, emailChanged, erased, idReleased, sessionsEnded, returnRequested, returnOpened, returnCompleted,
        returnCancelled)

    package var payload: any EventPayload {
        switch self {
        case .registered(let event): event
        case .keyPresented(let event): event
        case .keyAuthorized(let event): event
        case .keyRefused(let event): event
        case .keyRevoked(let event): event
        case .passkeyValidated(let event): event
        case .passkeyBackupChanged(let event): event
        case .passkeyCounted(let event): event
        case .passkeyCounterRepeated(let event): event
        case .deviceNamed(let event): event
        case .displayNameSet(let event): event
        case .approved(let event): event
        case .cancelled(let event): event
        case .reinstated(let event): event
        case .emailReclaimed(let event): event
        case .emailChanged(let event): event
        case .erased(let event): event
        case .idReleased(let event): event
        case .sessionsEnded(let event): event
        case .returnRequested(let event): event
        case .returnOpened(let event): event
        case .returnCompleted(let event): event
        case .returnCancelled(let event): event
        }
    }
}

extension Employee {
    /// The state of an employee, folded from its events.
    package struct State: Sendable, Equatable {
        /// The account, once registered.
        package internal(set) var account: Account?
        /// Every device key that was ever presented.
        package internal(set) var keys: [PublicKeyBytes: Key] = [:]
        /// What authenticators hold as the id of the account, from its first passkey on.
        package internal(set) var userHandle: Bytes32?
        /// How often each device was named. The names are personal texts, which the state does not have.
        package internal(set) var namings: [KeyFingerprint: Int] = [:]
        /// How often the person changed the name that colleagues see.
        package internal(set) var displayNamings = 0
        /// Whether a device key was ever authorized, or a statement approved the account. The id is then never given to
        /// another account.
        package internal(set) var belongsToSomebody = false
        /// The employees who ever authorized a device key of the account.
        package internal(set) var vouchers: Set<EmployeeID> = []
        /// Whether an app or the operator ever authorized one.
        package internal(set) var isVouchedByApp = false

        /// Whether an app, the operator or an employee besides these ever authorized a device key of the account.
        package func isVouched(besides own: Set<EmployeeID>) -> Bool {
            isVouchedByApp || !vouchers.isSubset(of: own)
        }
        /// The last request for a return that was not opened.
        package internal(set) var returnRequest: ReturnRequest?
        /// The last return that was opened and neither completed nor cancelled; it may have expired.
        package internal(set) var openedReturn: Return?
        /// The returns that were completed and not undone, in order. The last one says which key carries the role.
        package internal(set) var completedReturns: [Return] = []
        /// The position of the last event that ended all sessions; 0 before the first.
        package internal(set) var sessionsEndedAt: Int64 = 0

        /// Whether the employee id can still be released.
        package var isProvisional: Bool { account != nil && !belongsToSomebody }

        package var authorizedKeys: Set<PublicKeyBytes> {
            Set(keys.values.lazy.filter { $0.status == .authorized }.map(\.key))
        }

        /// Returns the authorized keys that carry the employee's role in the tenant; empty without a role.
        ///
        /// These are the keys listed in the event that gave the role (the founder's vouched keys), and the keys that a
        /// person with authority authorized afterwards. After a return it is the key that came back, and those
        /// that were authorized since.
        package func roleKeys(in tenant: Tenant.State) -> Set<PublicKeyBytes> {
            guard let account, tenant.role(of: account.id).isAdministrative,
                let since = tenant.roleSince(of: account.id)
            else { return [] }
            if let back = completedReturn(in: tenant), let completed = back.completed {
                return Set(
                    keys.values.lazy.filter { key in
                        guard key.status == .authorized, let authorized = key.authorized else { return false }
                        return key.key == back.key
                            || (authorized.position > completed.position && key.isAuthorizedByPerson)
                    }.map(\.key))
            }
            let listed = tenant.listedKeys(of: account.id)
            return Set(
                keys.values.lazy.filter { key in
                    guard key.status == .authorized, let authorized = key.authorized else { return false }
                    if listed?.contains(key.fingerprint) ?? key.isVouched { return true }
                    return authorized.position > since.position && key.isAuthorizedByPerson
                }.map(\.key))
        }

        /// The device key with a fingerprint; `nil` if it was never presented.
        package func key(_ fingerprint: KeyFingerprint) -> Key? {
            keys.values.first { $0.fingerprint == fingerprint }
        }

        /// Whether a device key was refused or revoked, which is for good.
        package func hasEnded(_ fingerprint: KeyFingerprint) -> Bool {
            keys.values.contains { $0.fingerprint == fingerprint && $0.hasEnded }
        }

        /// Returns the number of keys that are pending at a time; expired ones do not count.
        package func waitingKeys(at time: Timestamp) -> Int {
            keys.values.count { $0.status == .pending && !$0.isExpired(at: time) }
        }

        /// Returns the standing of a key at a time. An outdated pending key is expired.
        package func standing(of key: PublicKeyBytes, at time: Timestamp) -> KeyStanding {
            guard let known = keys[key] else { return .unknown }
            switch known.status {
            case .pending: return known.isExpired(at: time) ? .expired : .pending
            case .authorized: return .authorized
            case .refused: return .refused
            case .revoked: return .revoked
            }
        }
    }

    package struct Account: Sendable, Equatable {
        package let id: EmployeeID
        package let user: UserID
        /// The employee id as entered.
        package let companyEmployeeID: Personal
        /// The address as entered.
        package internal(set) var email: Personal
        /// Whether the address was claimed for the tenant.
        package internal(set) var isCompanyOwnedEmail: Bool
        package let registered: EventPlace
        package let registeredAt: Timestamp
        /// Whether founding, the policy or an admin approved the employee.
        package internal(set) var isApproved: Bool
        /// When an admin's approval verified the address; `nil` if none did.
        package internal(set) var emailVerifiedAt: Timestamp?
        /// Whether an admin's approval verified the address.
        package var isEmailVerified: Bool { emailVerifiedAt != nil }
        package internal(set) var isCancelled = false
        /// The authority that last cancelled the employee.
        package internal(set) var cancelledBy: Authority?
        /// Whether the employee id was released for good: another account may have it.
        package internal(set) var isReleased = false
        /// Whether the address was reclaimed for good.
        package internal(set) var isReclaimed = false
        /// Whether the employee was erased for good.
        package internal(set) var isErased = false

        /// The account's status. Approval and cancellation are kept apart, so that reinstating approves nobody.
        package var status: EmployeeStatus { isCancelled ? .cancelled : isApproved ? .active : .registered }
    }

    /// The recorded status of a device key.
    package enum KeyStatus: Sendable, Equatable, CaseIterable {
        case pending
        /// In force.
        case authorized
        /// Refused for good.
        case refused
        /// Revoked for good.
        case revoked
    }

    /// The standing of a device key at a time.
    package enum KeyStanding: Sendable, Equatable, CaseIterable {
        /// Never presented.
        case unknown
        case pending
        /// Was pending too long; may be presented again.
        case expired
        /// In force.
        case authorized
        /// Refused for good.
        case refused
        /// Revoked for good.
        case revoked
    }

    /// A device key of an employee.
    package struct Key: Sendable, Equatable {
        package let key: PublicKeyBytes
        /// SHA-256 of the key's bytes.
        package let fingerprint: KeyFingerprint
        /// The recorded status.
        package internal(set) var status: KeyStatus
        package internal(set) var isFirst: Bool
        /// The flow that last presented it.
        package internal(set) var flow: FlowID
        /// When it was last presented.
        package internal(set) var presentedAt: Timestamp
        /// The place of the last presentation; statements hash that entry.
        package internal(set) var presented: EventPlace
        /// The place of the authorization, which statements of the key's owner name.
        package internal(set) var authorized: EventPlace?
        package internal(set) var authorizedBy: Authority?
        /// What the events say of the passkey that the key is, or `nil` if it is none.
        package internal(set) var passkey: Passkey?

        /// Where the private half can be.
        package internal(set) var holding = KeyHolding.software
        /// Whether founding, an admin's signature or a vouched key of the same account authorized it.
        package internal(set) var isVouched = false
        /// When it was first authorized.
        package internal(set) var authorizedAt: Timestamp?
        /// When it was refused or revoked.
        package internal(set) var endedAt: Timestamp?
        /// The authority that refused or revoked it, or ended the account.
        package internal(set) var endedBy: Authority?

        /// Whether it was refused or revoked, which is for good.
        package var hasEnded: Bool { status == .refused || status == .revoked }

        /// Whether founding or an employee's signature authorized it last.
        var isAuthorizedByPerson: Bool {
            switch authorizedBy {
            case .founding, .employee: true
            case .app, .policy, .operator, nil: false
            }
        }

        /// When the key expires if it stays pending.
        package var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

        /// Whether the key was pending too long at a time.
        package func isExpired(at time: Timestamp) -> Bool { status == .pending && expiresAt < time }
    }
}

/// The status of an employee in the tenant, independent of the authorization of device keys.
package enum EmployeeStatus: String, Sendable, Hashable, CaseIterable {
    /// Registered, not approved yet.
    case registered
    /// Approved: may log in.
    case active
    /// Cancelled: may not log in.
    case cancelled
}

/// The role of an employee in the tenant.
package enum EmployeeRole: String, Sendable, Hashable, CaseIterable {
    /// The founder of the tenant, or the latest successor.
    case securityAdmin
    case admin
    case employee

    /// Whether the role may administer the tenant.
    package var isAdministrative: Bool { self != .employee }
}
