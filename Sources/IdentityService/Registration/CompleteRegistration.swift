import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
import TenureAPI

/// Completes a registration in one append: the employee, the first device key, and for a new user the credentials.
///
/// The first employee of a tenant founds it. Two simultaneous registrations expect the same empty stream. One append
/// wins, and the other use case retries as an ordinary employee.
struct CompleteRegistration: Sendable {
    /// How the user behind the registration was established.
    enum Person: Sendable {
        case newUser(PreparedCredentials)
        /// A known user with a valid proof.
        case existingUser(FlowProof)

        /// A known user without a secret, for whom a passkey of another account signed.
        case joining(Joining)

        /// The passkey of a user without a secret.
        var passkey: PasskeyFacts? {
            switch self {
            case .newUser(let new): new.passkey
            case .joining(let joining): joining.passkey
            case .existingUser: nil
            }
        }

        /// How the person proved who they are. A new user has chosen secrets, but proved none.
        var methods: AuthenticationMethods {
            switch self {
            case .newUser(let new): new.passkey.map { .passkey(isSynced: $0.isBackupEligible) } ?? .device
            case .existingUser(let proof): .credential(proof.kind)
            case .joining(let joining): .passkey(isSynced: joining.passkey.isBackupEligible)
            }
        }

        /// The event of the name that colleagues see; none without one.
        fileprivate func naming(_ employee: EmployeeID) -> [EmployeeEvent] {
            guard case .newUser(let new) = self, let name = new.displayName else { return [] }
            return [.displayNameSet(DisplayNameSet(employeeID: employee, name: Personal(employee, name.text)))]
        }
    }
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ person: Person, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        do {
            let registered = try await optimistic { try await register(row, person, app: app, run) }
            await confirmAddress(row.state, run.call)
            guard registered.mayCountersign else { return registered.outcome }
            return await countersigned(registered, row, person.methods, app, run)
        } catch let error as LedgerError where error.code == .claimTaken {
            throw try await refusal(ofLoser: row.state)
        } catch let error as ServiceError where error.code == .requestStale {
            throw try await refusal(ofLoser: row.state)
        }
    }

    /// The refusal of a registration that lost a race: what the append, or a read before it, found taken says little,
    /// because two flows of one person race for all claims.
    private func refusal(ofLoser state: FlowState) async throws -> ServiceError {
        try await requireIntent(state)
        let subject = try await context.subject(company: state.companyName, employee: state.companyEmployeeId)
        // Otherwise another registration took the address or the tenant's name meanwhile. A new start sees that.
        return ServiceError(subject.employee == nil ? .requestStale : .employeeAlreadyRegistered)
    }

    /// Refuses a tenant that the person did not mean. The append guards the tenant's stream, so of two founders the
    /// second one decides again and gets here.
    ///
    /// - Throws: `company.already_founded` or `company.unknown`.
    private func requireIntent(_ state: FlowState, _ tenant: TenantSnapshot) throws(ServiceError) {
        switch state.registration?.intent {
        case .found: guard !tenant.exists else { throw ServiceError(.companyAlreadyFounded) }
        case .join: guard tenant.exists else { throw ServiceError(.companyUnknown) }
        case nil: break
        }
    }

    /// Refuses a founder whose tenant's name somebody else has taken meanwhile.
    private func requireIntent(_ state: FlowState) async throws {
        guard state.registration?.intent == .found else { return }
        try requireIntent(state, try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId)))
    }

    private struct Registered: Sendable {
        var outcome: FlowOutcomeResponse
        var employee: EmployeeID
        var mayCountersign: Bool
    }

    private func register(
        _ row: FlowStore.Row, _ person: Person, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> Registered {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId)
        let tenant = try await StateLoader(reader: context.reader).tenant(tenantId)
        try requireIntent(state, tenant)
        guard !tenant.exists || tenant.state.links(AppID(app.appId), as: .creation) else {
            throw ServiceError(.appNotLinked)
        }
        // A policy that changes meanwhile makes the append a conflict.
        guard person.passkey == nil || !tenant.exists || tenant.state.policy.logIn != .secret else {
            throw ServiceError(.authorizationNotPermitted)
        }
        let mayCountersign = tenant.exists && CountersignFirstKey.reason(state, tenant.state.policy, app) != nil
        var recorder = FlowRecorder(row: row, app: app, run)
        recorder.isProvisional = mayCountersign
        let (key, insertion) = try await context.personKeys.create(id: employeeId.uuid, ledger: tenantId.uuid)
        recorder.statements.append(insertion)
        let registered = try decide(state, person, in: tenant)
        let events = recorder.named(registered, of: Employee.initial) + person.naming(employeeId)
        try recorder.add(
            events, to: .employee(employeeId, in: tenantId), version: 0, keys: [employeeId.uuid: key],
            about: employeeId.uuid, by: employeeId)
        recorder.claims.append(
            Claim(
                key: context.ring.employeeClaim(try CompanyEmployeeID(state.companyEmployeeId), in: tenantId),
                owner: employeeId.uuid))
        recorder.claims.append(context.ring.memberClaim(employeeId, of: UserID(state.userId), in: tenantId))
        recorder.claims.append(context.ring.accountClaim(employeeId, of: UserID(state.userId), in: tenantId))
        try found(&recorder, tenant, app, by: employeeId)
        let namesAddress = try await useInvitation(&recorder, tenant, by: employeeId)
        try await verifyAddress(&recorder, tenant)
        try await releaseHolder(&recorder, tenant)
        try await claimPasskey(person, &recorder, employeeId)
        try await add(person, to: &recorder, employeeId, key, isInvited: namesAddress)
        let folded = Employee.fold(
            events.enumerated().map { index, event in
                Recorded(event, id: UUID(), time: run.call.time, position: 1, version: index + 1)
            })
        let decision = Employee.registration(folded, key: try state.deviceKey)
        let role: EmployeeRole = tenant.exists ? .employee : .securityAdmin
        // The founder's first key carries the role, unless it is a synced passkey.
        let carriesRole = tenant.state.policy.admitsRole(
            of: folded.holding(of: try state.deviceKey), secretProved: person.methods.secretProved)
        let summary = EmployeeSummaryResponse(
            employeeId: employeeId.uuid, tenantId: tenantId.uuid,
            companyName: tenant.state.companyName ?? state.companyName, companyEmployeeId: state.companyEmployeeId,
            status: folded.account?.status.rawValue ?? "", role: role.rawValue)
        return Registered(
            outcome: try await append(
                &recorder, decision, summary, employeeId, in: tenant, role, carriesRole, person.methods),
            employee: employeeId,
            mayCountersign: mayCountersign)
    }

    /// Countersigns the first key with the registering app, if the app vouches for it.
    ///
    /// It needs a second append, because the statement names the hash of the entry that presents the key. If it fails
    /// the key stays pending, which is a valid outcome too.
    private func countersigned(
        _ registered: Registered, _ row: FlowStore.Row, _ methods: AuthenticationMethods, _ app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async -> FlowOutcomeResponse {
        do {
            return try await CountersignFirstKey(context: context).run(
                row.state, employee: registered.employee, by: methods, app: app, run)
        } catch {
            context.logger.warning(
                "a first key was not countersigned", metadata: ["requestId": "\(run.call.requestId)"])
            return registered.outcome
        }
    }
}

/// Builds the append that completes a registration.
extension CompleteRegistration {
    func decide(_ state: FlowState, _ person: Person, in tenant: TenantSnapshot) throws -> [EmployeeEvent] {
        let entered = try state.registering()
        let name = try CompanyName(state.companyName), email = try EmailAddress(entered.email)
        let register = Employee.Register(
            employeeID: EmployeeID(state.employeeId), userID: UserID(state.userId), companyName: name,
            companyEmployeeID: try CompanyEmployeeID(state.companyEmployeeId), email: email,
            isCompanyOwnedEmail: entered.isCompanyOwnedEmail, mayOwnEmail: tenant.state.owns(email, as: name),
            isFounding: !tenant.exists, policy: tenant.state.policy, key: try state.deviceKey,
            flow: FlowID(state.id), passkey: person.passkey)
        return try Employee.decided(Employee.initial, .register(register))
    }

    /// Adds the founder's registration as the first event of the ledger, and links the app that it came through.
    func found(
        _ recorder: inout FlowRecorder, _ tenant: TenantSnapshot, _ app: AppCaller, by employee: EmployeeID
    ) throws {
        let stream = StreamID.tenant(tenant.id)
        guard !tenant.exists else {
            recorder.expectations[stream] = tenant.version
            return
        }
        let policy = recorder.call.browser == nil ? TenantPolicy.initial : .ofPages
        try recorder.add(
            Tenant.decided(tenant.state, .found(AppID(app.appId), policy: policy)), to: stream, version: 0, by: employee
        )
        recorder.claims.append(
            Claim(
                key: context.ring.companyClaim(try CompanyName(recorder.row.state.companyName)), owner: tenant.id.uuid))
    }

    /// Claims the passkey of a person without a secret.
    ///
    /// - Throws: `employee.key_invalid` if it is somebody's.
    private func claimPasskey(
        _ person: Person, _ recorder: inout FlowRecorder, _ employee: EmployeeID
    ) async throws {
        guard let passkey = person.passkey else { return }
        let claim = context.ring.passkeyClaim(passkey.credentialID, of: employee, in: recorder.tenant)
        guard try await context.reader.claim(claim.key) == nil else { throw ServiceError(.employeeKeyInvalid) }
        recorder.claims.append(claim)
    }

    /// Adds what is the person's: the credentials of a new user, or the proof of a known one.
    ///
    /// - Parameter isInvited: Whether the invitation of the registration names the address.
    func add(
        _ person: Person, to recorder: inout FlowRecorder, _ employee: EmployeeID, _ employeeKey: PersonKey,
        isInvited: Bool
    ) async throws {
        let state = recorder.row.state
        let user = UserID(state.userId)
        let ledger = LedgerID.directory(of: user)
        switch person {
        case .newUser(let new):
            let email = try EmailAddress(try state.registering().email)
            let (key, insertion) = try await context.personKeys.create(id: user.uuid, ledger: ledger.uuid)
            let event = try new.event(state, email: email.entered, key: key)
            let claim = try state.registering().claim
            guard claim == nil || claim?.isProved == true else { throw ServiceError(.flowWrongStep) }
            let command: User.Command = claim == nil ? .setCredentials(event) : .setProvedCredentials(event)
            try recorder.add(
                try User.decided(User.initial, command), to: .user(user), version: 0, keys: [user.uuid: key],
                about: user.uuid, by: employee)
            guard let seed = SecretKey(bytes: new.seed.bytes) else { throw ProgramDefect("a seed has another length") }
            recorder.statements.append(insertion)
            recorder.statements.append(
                try await context.seeds.insertion(
                    of: CredentialSeeds(answers: seed, passphrase: nil), credentialId: state.credentialId,
                    ledger: ledger.uuid))
            guard let claim else {
                // Without a secret, only a confirmed address keeps others from registering with it.
                let mayClaim = try new.passkey == nil || isInvited || state.registering().confirmsAddress
                guard mayClaim else { return }
                recorder.claims.append(try await AddressHolders(context: context).claim(on: email, for: user))
                return
            }
            recorder.statements.append(AddressClaimant.deletion(on: email, of: state.id, context.ring))
            recorder.ledgers.insert(context.ring.addressClaimant(email).ledger)
            try await GivingWay(of: UserID(claim.holder), email, to: user, context).add(to: &recorder)
        case .existingUser(let proof):
            try recorder.add(
                try proof.event(of: state, employee: employee), to: .flow(state.id, in: recorder.tenant), version: 0,
                keys: [employee.uuid: employeeKey], about: employee.uuid, by: employee)
            try recorder.refund(by: employee)
            recorder.expectations[.user(user)] = try await known(state).version
        case .joining(let joining): try await joining.add(to: &recorder, of: try await known(state), by: employee)
        }
    }

    /// The known user who registers.
    ///
    /// - Throws: `request.stale` after a reclaimed address or replaced credentials, which must not register any more.
    private func known(_ state: FlowState) async throws -> UserSnapshot {
        let user = UserID(state.userId), snapshot = try await StateLoader(reader: context.reader).user(user)
        guard snapshot.state.holdsEmail, snapshot.state.credentials?.id.uuid == state.credentialId else {
            throw ServiceError(.requestStale)
        }
        // A former address of the user still finds them, but is theirs no more.
        if snapshot.state.change != nil {
            let held = try await context.userWithAddress(user).email?.text
            guard try held.map(EmailAddress.init(recorded:)) == EmailAddress(try state.registering().email) else {
                throw ServiceError(.requestStale)
            }
        }
        return snapshot
    }

    func append(
        _ recorder: inout FlowRecorder, _ decision: Employee.Outcome?, _ summary: EmployeeSummaryResponse,
        _ employee: EmployeeID, in snapshot: TenantSnapshot, _ role: EmployeeRole, _ carriesRole: Bool,
        _ methods: AuthenticationMethods
    ) async throws -> FlowOutcomeResponse {
        let tenant = recorder.tenant
        let state = recorder.row.state
        guard case .success = decision else {
            let fingerprint = try state.fingerprint.description
            return try await recorder.append { appended in
                .authorizationPending(
                    employeePublicKey: state.employeePublicKey, fingerprint: fingerprint,
                    position: appended.last[LedgerID(tenant.uuid)])
            }
        }
        let session = try await NewSession(
            NewSession.Opening(
                employee: employee, tenant: snapshot, role: role, sessionRole: carriesRole ? role : .employee,
                fingerprint: try state.fingerprint, methods: methods),
            app: recorder.app, at: recorder.call.time, in: recorder.call.browser, context)
        try await recorder.open(session, by: employee)
        var tokens = session.tokens
        if role == .securityAdmin, try await !isEmailVerified(state) {
            tokens.notices = [NoticeResponse(type: NoticeResponse.returnUnprepared)]
        }
        return try await recorder.append { [tokens] appended in
            .success(tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}

extension CompleteRegistration {
    /// Confirms the address of whoever came by a mail to it. It needs an append of its own, because the event names the
    /// position of the address. If it fails a mail confirms the address later.
    private func confirmAddress(_ state: FlowState, _ call: Call) async {
        guard let person = state.registration, person.confirmsAddress else { return }
        do {
            try await optimistic(retryingClaims: true) {
                let id = UserID(state.userId), user = try await StateLoader(reader: context.reader).user(id)
                let held = try await context.userWithAddress(id).email?.text
                guard let held, let address = user.state.address,
                    try EmailAddress(recorded: held) == EmailAddress(recorded: person.email)
                else { return }
                let events = try User.decided(user.state, .verifyEmail(address: address.place.position))
                guard !events.isEmpty else { return }
                var recorder = EventRecorder(
                    context, at: call.time, metadata: EventMetadata(actor: id.uuid, requestId: call.requestId))
                try recorder.add(events, to: .user(id), version: user.version)
                try await recorder.takeAddress(of: id, inOwnBrowser: true)
                try await recorder.append()
            }
        } catch {
            context.logger.warning(
                "an invited address was not confirmed", metadata: ["requestId": "\(call.requestId)"])
        }
    }

    /// Whether the user had verified the address before, for another account or in this flow.
    private func isEmailVerified(_ state: FlowState) async throws -> Bool {
        guard state.registration?.userExists == true else { return state.registration?.claim?.isProved == true }
        return try await StateLoader(reader: context.reader).user(UserID(state.userId)).state.isEmailVerified
    }
}

/// Handles the invitation of a registration, and a provisional account with the same employee id.
extension CompleteRegistration {
    /// Uses the invitation in the append that registers. The policy may have changed since the start.
    ///
    /// - Returns: Whether it names the address.
    func useInvitation(
        _ recorder: inout FlowRecorder, _ tenant: TenantSnapshot, by employee: EmployeeID
    ) async throws -> Bool {
        let state = recorder.row.state
        let person = try state.registering(), email = try EmailAddress(person.email)
        let id = person.invitation.map { InvitationID($0) }
        try RegistrationGate(context: context).require(id, in: tenant, email)
        guard let id else { return false }
        let invitation = try await context.invitation(id, in: tenant)
        let use = Invitation.Use(
            employee: employee, companyEmployeeID: try CompanyEmployeeID(state.companyEmployeeId),
            email: email, time: recorder.call.time)
        let events = try Invitation.decided(invitation.state, .use(use))
        try recorder.add(events, to: .invitation(id, in: tenant.id), version: invitation.version, by: employee)
        // An issuer who loses the role first makes this append a conflict.
        if let issuer = invitation.issuer { recorder.expectations[issuer.stream] = issuer.version }
        if let issue = invitation.state.issue {
            recorder.notAfter = issue.expiresAt
            recorder.releases.append(
                ClaimRelease(key: context.ring.claim(of: issue, in: tenant.id), owner: id.uuid))
        }
        recorder.claims.append(
            Claim(
                key: context.ring.invitedClaim(employee, in: tenant.id), owner: employee.uuid, value: id.uuid.bytes))
        return invitation.state.issue?.email != nil
    }

    /// Queues the mail that verifies the address, if the mode `domain` admits the person by it. A known user's address
    /// may be verified already.
    func verifyAddress(_ recorder: inout FlowRecorder, _ tenant: TenantSnapshot) async throws {
        let state = recorder.row.state, user = UserID(state.userId)
        guard tenant.exists, tenant.state.policy.registrationMode == .domain,
            state.registration?.invitation == nil
        else { return }
        let known = try await StateLoader(reader: context.reader).user(user).state
        guard !known.isEmailVerified else { return }
        let mail = try await DomainRegistration(context: context).mail(
            to: user, try EmailAddress(try state.registering().email), app: recorder.app, at: recorder.call.time)
        if let mail { try recorder.queue(mail) }
    }

    /// Releases the employee id from a provisional account whose time is over, or from any provisional account if the
    /// registration has an invitation.
    func releaseHolder(_ recorder: inout FlowRecorder, _ tenant: TenantSnapshot) async throws {
        let state = recorder.row.state
        let id = try CompanyEmployeeID(state.companyEmployeeId)
        guard tenant.exists,
            let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant.id))
        else { return }
        let holder = try await StateLoader(reader: context.reader).employee(EmployeeID(claim.owner), in: tenant.id)
        let command: Employee.ReleaseID =
            state.registration?.invitation == nil ? .expired(at: recorder.call.time) : .invited
        let events = try Employee.decided(holder.state, .releaseID(command))
        guard let released = events.first else { throw ServiceError(.employeeAlreadyRegistered) }
        try recorder.add(
            released.payload, to: .employee(holder.id, in: tenant.id), version: holder.version, keys: [:], about: nil,
            by: nil)
        let release = try await AccountRelease(
            of: holder, named: id, in: tenant.id, registering: UserID(state.userId), context)
        try release.add(to: &recorder)
    }
}
