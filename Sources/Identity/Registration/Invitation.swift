package import Canonical
package import ErrorCodes

/// An invitation to register under one employee id.
///
/// It authorizes no device key, approves nobody, founds no tenant and verifies no address. It permits its holder to
/// register where only invited people may, and outranks a provisional account with the same employee id.
package enum Invitation: Decider {
    package typealias Event = InvitationEvent

    /// The state before the invitation is issued.
    package static let initial = State()

    /// The longest lifetime of an invitation.
    package static let maximumLifetime: Duration = .seconds(30 * 86_400)

    package enum Rejection: CodedRejection, CaseIterable {
        /// The invitation was never issued, has expired, was used or revoked, or is for another person. All have one
        /// code.
        case invalid
        /// The invitation was issued already.
        case issued
        /// The lifetime is not positive, or too long.
        case lifetime
        case notPermitted

        package var code: ErrorCode {
            switch self {
            case .invalid: .invitationInvalid
            case .issued, .lifetime: .requestInvalid
            case .notPermitted: .authorizationNotPermitted
            }
        }
    }

    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [InvitationEvent] {
        switch command {
        case .issue(let issue): try decide(state, issue)
        case .use(let use): try decide(state, use)
        case .revoke(let decision): try revoke(state, decision)
        case .endWithIssuer(let time):
            state.isOpen(at: time) && !state.isBacked
                ? state.issue.map { [ended($0, .issuerEnded, by: .policy)] } ?? [] : []
        }
    }

    /// Applies an event to the state. An invitation is issued once and ends once.
    package static func evolve(_ state: inout State, _ recorded: Recorded<InvitationEvent>) {
        switch recorded.event {
        case .issued(let event):
            guard state.issue == nil else { return }
            state.issue = Issue(event, at: recorded.place)
        case .used(let event):
            if state.end == nil { state.end = .used(event.employeeID) }
        case .revoked(let event):
            if state.end == nil { state.end = .revoked(event.reason) }
        }
    }

    private static func decide(_ state: State, _ issue: IssueInvitation) throws(Rejection) -> [InvitationEvent] {
        guard AuthorityTable.permits(.issueInvitation, about: .newcomer, by: issue.decision) else {
            throw .notPermitted
        }
        guard state.issue == nil else { throw .issued }
        guard issue.time < issue.expiresAt, issue.expiresAt <= issue.time.adding(maximumLifetime) else {
            throw .lifetime
        }
        func personal(_ text: String) -> Personal { Personal(owner: issue.id.uuid, text: text) }
        return [
            .issued(
                InvitationIssued(
                    invitationID: issue.id, digest: issue.digest, subject: issue.subject,
                    companyEmployeeID: personal(issue.companyEmployeeID.entered),
                    subjectSalt: personal(Base64URL.encode(issue.subjectSalt.bytes)),
                    email: issue.email.map { personal($0.entered) }, expiresAt: issue.expiresAt,
                    by: issue.decision.authority))
        ]
    }

    private static func decide(_ state: State, _ use: Use) throws(Rejection) -> [InvitationEvent] {
        guard let issue = state.issue, state.isOpen(at: use.time), state.isBacked,
            issue.isFor(use.companyEmployeeID, use.email)
        else { throw .invalid }
        return [.used(InvitationUsed(invitationID: issue.id, employeeID: use.employee))]
    }

    private static func revoke(
        _ state: State, _ decision: AuthorityDecision
    ) throws(Rejection) -> [InvitationEvent] {
        guard AuthorityTable.permits(.revokeInvitation, about: .newcomer, by: decision) else { throw .notPermitted }
        guard let issue = state.issue else { throw .invalid }
        switch state.end {
        case .revoked: return []
        case .used: throw .invalid
        case nil: return [ended(issue, .revoked, by: decision.authority)]
        }
    }

    private static func ended(_ issue: Issue, _ reason: InvitationEnd, by authority: Authority) -> InvitationEvent {
        .revoked(InvitationRevoked(invitationID: issue.id, reason: reason, by: authority))
    }
}

extension Invitation {
    package enum Command: Sendable, Equatable {
        case issue(IssueInvitation)
        /// Register with the invitation.
        case use(Use)
        /// Revoke the unused invitation.
        case revoke(AuthorityDecision)
        /// End the invitation because its issuer lost the authority.
        case endWithIssuer(at: Timestamp)
    }

    /// The command that issues an invitation for an employee id.
    package struct IssueInvitation: Sendable, Equatable {
        /// The new invitation's random id.
        package var id: InvitationID
        /// The keyed digest of the token that the invited person presents.
        package var digest: Bytes32
        /// The commitment that the statement names.
        package var subject: Bytes32
        /// The salt of the commitment.
        package var subjectSalt: Bytes32
        package var companyEmployeeID: CompanyEmployeeID
        /// The only address that may be registered, if one is named.
        package var email: EmailAddress?
        /// When the invitation expires.
        package var expiresAt: Timestamp
        package var decision: AuthorityDecision
        package var time: Timestamp

        package init(
            id: InvitationID, digest: Bytes32, subject: Bytes32, subjectSalt: Bytes32,
            companyEmployeeID: CompanyEmployeeID, email: EmailAddress?, expiresAt: Timestamp,
            decision: AuthorityDecision, time: Timestamp
        ) {
            self.id = id
            self.digest = digest
            self.subject = subject
            self.subjectSalt = subjectSalt
            self.companyEmployeeID = companyEmployeeID
            self.email = email
            self.expiresAt = expiresAt
            self.decision = decision
            self.time = time
        }
    }

    /// The command that registers an employee with an invitation.
    package struct Use: Sendable, Equatable {
        package var employee: EmployeeID
        package var companyEmployeeID: CompanyEmployeeID
        package var email: EmailAddress
        /// The time of the registration.
        package var time: Timestamp

        package init(
            employee: EmployeeID, companyEmployeeID: CompanyEmployeeID, email: EmailAddress, time: Timestamp
        ) {
            self.employee = employee
            self.companyEmployeeID = companyEmployeeID
            self.email = email
            self.time = time
        }
    }
}

extension Invitation {
    /// The state of an invitation, folded from its events.
    package struct State: Sendable, Equatable {
        /// The invitation as issued; `nil` before.
        package internal(set) var issue: Issue?
        /// How it ended; `nil` if it has not. Expiry ends it without an event.
        package internal(set) var end: End?
        /// Whether the issuer still has the authority to issue it; determined by ``backed(in:issuer:)``.
        package internal(set) var isBacked = false

        /// Whether it was issued, has not ended and may be used at a time.
        package func isOpen(at time: Timestamp) -> Bool {
            guard let issue, end == nil else { return false }
            return time < issue.expiresAt
        }

        /// Returns the state with ``isBacked`` set from the tenant and the issuer's account.
        ///
        /// The authority must have lasted since the issue. An issuer who lost a role and got it again revives no
        /// invitation.
        ///
        /// - Parameter issuer: The account of the employee who issued it; `nil` for an app.
        package func backed(in tenant: Tenant.State, issuer: Employee.State?) -> State {
            var state = self
            state.isBacked = false
            guard let issue else { return state }
            switch issue.by {
            case .employee(let id, _):
                guard let account = issuer?.account, account.id == id, account.status == .active,
                    tenant.role(of: id).isAdministrative, let since = tenant.roleSince(of: id)
                else { return state }
                state.isBacked = since.position < issue.place.position
            case .app(let app, _, _):
                guard let since = tenant.administrationSince[app] else { return state }
                state.isBacked = since.position < issue.place.position
            case .founding, .policy, .operator: break
            }
            return state
        }
    }

    /// How an invitation ended.
    package enum End: Sendable, Equatable {
        case used(EmployeeID)
        /// The invitation was revoked, or its issuer lost the authority.
        case revoked(InvitationEnd)
    }

    /// An invitation as it was issued.
    package struct Issue: Sendable, Equatable {
        package let id: InvitationID
        /// The keyed digest of the token that the invited person presents.
        package let digest: Bytes32
        /// The commitment that the statement names.
        package let subject: Bytes32
        /// The employee id as entered.
        package let companyEmployeeID: Personal
        /// The address as entered, if one is named.
        package let email: Personal?
        /// When the invitation expires.
        package let expiresAt: Timestamp
        package let by: Authority
        package let place: EventPlace

        init(_ event: InvitationIssued, at place: EventPlace) {
            id = event.invitationID
            digest = event.digest
            subject = event.subject
            companyEmployeeID = event.companyEmployeeID
            email = event.email
            expiresAt = event.expiresAt
            by = event.by
            self.place = place
        }

        /// Whether it is for this employee id and, if it names an address, for this address. Never after its texts were
        /// erased.
        func isFor(_ id: CompanyEmployeeID, _ address: EmailAddress) -> Bool {
            guard let text = companyEmployeeID.text, let named = try? CompanyEmployeeID(text), named == id else {
                return false
            }
            guard let email else { return true }
            guard let text = email.text, let named = try? EmailAddress(recorded: text) else { return false }
            return named == address
        }
    }
}
