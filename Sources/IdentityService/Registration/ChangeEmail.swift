import Canonical
import Credentials
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Changes the caller's address, whose mailbox the session proved. The device key of the session signs.
///
/// One append gives the user and all their accounts the address. The former one stays claimed as long as it can undo the
/// change, so nobody else takes it meanwhile.
package struct ChangeEmail: CallerUseCase {
    /// The id of the mail with the code.
    package let mail: UUID
    /// The proof of the mailbox: when it expires, and its code.
    package let proof: (expires: String, key: String)
    /// The salt of the commitment, 32 bytes.
    package let salt: [UInt8]
    /// The statement and the signature over it, in the second call.
    package let signed: StatementSignature?
    package let caller: EmployeeCaller

    package init(
        mail: UUID, proof: (expires: String, key: String), salt: [UInt8], signed: StatementSignature? = nil,
        caller: EmployeeCaller
    ) {
        self.mail = mail
        self.proof = proof
        self.salt = salt
        self.signed = signed
        self.caller = caller
    }

    /// What a proof is about besides the user.
    static func about(_ mail: UUID, _ caller: EmployeeCaller) -> [UInt8] { mail.bytes + caller.sessionId.bytes }

    /// Changes the address, or returns the statement to sign.
    ///
    /// - Throws: `session.login_required`, `request.stale` if the mailbox was not proved, the time is over, or somebody
    ///   has the address by now, or `authorization.not_permitted` while the last change can be undone.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, time = run.call.time
        try await context.requireRecentLogIn(of: .employee(caller), at: time)
        guard let salt = Bytes32(salt) else { throw ServiceError(.requestInvalid) }
        do {
            return try await run.decide(signed) {
                let devices = try await OwnDevices(of: caller, context), employee = devices.employee
                let access = devices.access, role = access.tenant.state.role(of: employee.id)
                let (user, address) = try await proved(employee.state.account?.user, context, at: time)
                let commitment = Commitment.email(salt: salt.bytes, Array(address.entered.utf8))
                guard let subject = Bytes32(commitment.bytes) else {
                    throw ProgramDefect("a digest has another length")
                }
                return SignedDecision<EmployeeEvent, DecisionResponse>(
                    access: access,
                    decide: { decision in
                        let by = Employee.StatusDecision(role: role, decision: decision)
                        return try Employee.decided(
                            employee.state,
                            .changeEmail(
                                Employee.ChangeEmail(email: address, subject: subject, salt: salt, by: by)))
                    },
                    statement: { $0.emailChange(of: employee.id, to: subject.bytes, reason: "changed") },
                    record: { recorder, events, _ in
                        try await record(events, address, of: user, employee, in: &recorder)
                    })
            }
        } catch let error as LedgerError where error.code == .claimTaken || error.code == .claimMissing {
            throw ServiceError(.requestStale)
        }
    }

    /// The user, and the address whose mailbox this session proved.
    private func proved(
        _ id: UserID?, _ context: ServiceContext, at time: Timestamp
    ) async throws -> (UserSnapshot, EmailAddress) {
        guard let id, let pending = try await PendingAddress.find(mail, context, at: time),
            pending.session == caller.sessionId, pending.address.user == id.uuid,
            let link = MailLink(
                .addressProof, recipient: id.uuid.lowercased, expires: proof.expires, key: proof.key,
                about: Self.about(mail, caller)), context.standing(of: link, at: time) == .valid
        else { throw ServiceError(.requestStale) }
        let address = try parsed { () throws(ValueError) in try EmailAddress(pending.address.address) }
        return (try await StateLoader(reader: context.reader).user(id), address)
    }

    private func record(
        _ events: [EmployeeEvent], _ address: EmailAddress, of user: UserSnapshot, _ employee: EmployeeSnapshot,
        in recorder: inout DecisionRecorder<DecisionResponse>
    ) async throws -> DecisionResponse {
        let context = recorder.context, time = recorder.call.time, tenant = recorder.access.tenant
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.id.uuid)
        try recorder.add(events, to: .employee(employee.id, in: tenant.id), version: employee.version, keys: keys)
        let accounts = try await FollowingAccounts(of: user.id, besides: employee.id, context)
        let isConfirmed = accounts.isEmailVerified || employee.state.account?.isEmailVerified == true
        let changed = try User.decided(
            user.state,
            .changeEmail(User.ChangeEmail(to: address, isConfirmedByApproval: isConfirmed, at: time)))
        try await recorder.add(changed, to: user, context)
        try await accounts.add(address.entered, to: &recorder)
        let holders = AddressHolders(context: context), former = try await holders.address(of: user.id)
        recorder.claims.append(try await holders.claim(on: address, for: user.id))
        // The claim of the address before that has expired, and the log knows the last change only.
        recorder.releases += try await holders.releases(of: user.id) + holders.formerReleases(of: user.id)
        recorder.releases.append(PendingAddress.release(mail, of: caller.sessionId, context.ring))
        // Whoever reads the mails of a former address that nobody confirmed may be a stranger, and is told nothing.
        if case .emailChanged(let event)? = changed.first, let until = event.undoUntil {
            // Whoever registered without a secret may have no claim on it yet.
            if let former, former != address, try await holders.mayTake(former, user: user.id) {
                recorder.claims.append(
                    Claim(key: context.ring.addressClaim(former), owner: user.id.uuid, expiresAt: until))
            }
            try recorder.queue(
                QueuedMail(.addressChanged, to: .user(user.id), in: .directory(of: user.id), until: until, at: time))
        }
        return try await recorder.append(try await context.summary(of: employee, in: tenant))
    }
}

/// The accounts that take over the address of their user in the append of its change.
struct FollowingAccounts: Sendable {
    private let user: UserID
    private let count: Int
    private var accounts: [(employee: EmployeeSnapshot, tenant: TenantID)] = []
    private let context: ServiceContext

    init(of user: UserID, besides own: EmployeeID? = nil, _ context: ServiceContext) async throws {
        let loader = StateLoader(reader: context.reader), found = try await context.accounts(of: user)
        (self.user, count, self.context) = (user, found.count, context)
        for (tenant, employee) in found where employee != own {
            accounts.append((try await loader.employee(employee, in: tenant), tenant))
        }
    }

    /// Whether an admin's approval confirmed the address in one of them.
    var isEmailVerified: Bool { accounts.contains { $0.employee.state.account?.isEmailVerified == true } }

    /// Adds the events. The append fails if the number of accounts has changed meanwhile.
    func add(_ email: String, to recording: inout some EventRecording) async throws {
        let metadata = EventMetadata(requestId: recording.recorder.metadata.requestId)
        for (employee, tenant) in accounts {
            let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.uuid)
            guard keys[employee.id.uuid] != nil else { continue }
            try recording.add(
                try Employee.decided(employee.state, .followEmail(email)), to: .employee(employee.id, in: tenant),
                version: employee.version, keys: keys, metadata: metadata)
        }
        recording.recorder.statements.append(context.stillAccounts(count, of: user))
        recording.recorder.ledgers.insert(.directory(of: user))
    }
}

extension EventRecording {
    /// Adds the events of a user, who acts.
    fileprivate mutating func add(
        _ events: [UserEvent], to user: UserSnapshot, _ context: ServiceContext
    ) async throws {
        let ledger = LedgerID.directory(of: user.id)
        let keys = try await context.personKeys.load([user.id.uuid], ledger: ledger.uuid)
        try add(
            events, to: .user(user.id), version: user.version, keys: keys,
            metadata: EventMetadata(actor: user.id.uuid, requestId: recorder.metadata.requestId))
    }
}

/// Undoes a change of an address, by the link of the mail to the former one.
package struct UndoEmailChange: UseCase {
    private let user: String
    private let expires: String
    private let key: String
    private let isDecision: Bool

    /// - Parameters:
    ///   - user: The user of the link.
    ///   - expires: When the link expires, in seconds since 1970.
    ///   - key: The code of the link, 64 lower-case hexadecimal digits.
    ///   - isDecision: Whether the change is undone; otherwise nothing changes.
    package init(user: String, expires: String, key: String, isDecision: Bool) {
        (self.user, self.expires, self.key, self.isDecision) = (user, expires, key, isDecision)
    }

    /// Checks the link, and gives the user and all accounts the former address, unless somebody else has it by now. A
    /// link is used once.
    package func run(_ run: UseCaseRun<ConfirmEmail.Answer>) async throws -> ConfirmEmail.Answer {
        let context = run.context, time = run.call.time
        guard let id = UUID(entered: user).map(UserID.init) else { return .invalid }
        return try await optimistic(retryingClaims: true) {
            let state = try await context.userWithAddress(id)
            guard let change = state.change, let former = change.former?.text,
                let link = MailLink(
                    .addressUndo, recipient: user, expires: expires, key: key,
                    about: MailLink.about(change.place.position))
            else { return .invalid }
            switch context.standing(of: link, at: time) {
            case .invalid: return .invalid
            case .expired: return .expired
            case .valid: break
            }
            guard change.canBeUndone(at: time) else { return .expired }
            guard isDecision else { return .pending() }
            let snapshot = try await StateLoader(reader: context.reader).user(id)
            let events = try User.decided(snapshot.state, .undoEmailChange(change.place.position, at: time))
            var recorder = EventRecorder(
                context, at: time, metadata: EventMetadata(actor: id.uuid, requestId: run.call.requestId))
            try await recorder.add(events, to: snapshot, context)
            try await FollowingAccounts(of: id, context).add(former, to: &recorder)
            let holders = AddressHolders(context: context)
            recorder.releases = try await holders.releases(of: id) + holders.formerReleases(of: id)
            let address = try parsed { () throws(ValueError) in try EmailAddress(recorded: former) }
            guard try await holders.mayTake(address, user: id) else { return .invalid }
            recorder.claims.append(Claim(key: context.ring.addressClaim(address), owner: id.uuid))
            try await recorder.append()
            return .verified
        }
    }
}
