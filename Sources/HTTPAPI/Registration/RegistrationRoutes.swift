import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations`.
    static let startRegistration = Route(.startRegistration) { exchange in
        let request = try exchange.read(RegistrationRequest.self)
        return try await exchange.reply(
            to: StartRegistration(
                companyName: request.companyName, companyEmployeeId: request.companyEmployeeId, email: request.email,
                isCompanyOwnedEmail: request.isCompanyOwnedEmail, employeePublicKey: request.employeePublicKey,
                invitation: request.invitation,
                intent: request.intent.flatMap { RegistrationIntent(rawValue: $0.rawValue) }, app: exchange.app())
        ) { .json(FlowStartedResponse($0), status: 201) }
    }
}

extension Route {
    /// `POST /v1/companies/{companyName}/invitations`.
    static let issueInvitation = Route(.issueInvitation) { exchange in
        let request = try exchange.read(InvitationRequest.self)
        return try await exchange.reply(
            to: IssueInvitation(
                company: exchange.company, companyEmployeeId: request.companyEmployeeId, email: request.email,
                seconds: request.expiresInSeconds ?? IssueInvitation.usualSeconds, subjectSalt: request.subjectSalt,
                signed: request.signed.map { SubmittedStatement($0) }, caller: exchange.caller())
        ) { .json(InvitationDecisionResponse($0)) }
    }

    /// `GET /v1/companies/{companyName}/invitations`.
    static let listInvitations = Route(.listInvitations) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let views = try await exchange.run(ListInvitations(company: exchange.company, caller: exchange.caller()))
        return .json(PageResponse(items: views.map(InvitationResponse.init)))
    }

    /// `DELETE /v1/companies/{companyName}/invitations/{invitationId}`.
    static let revokeInvitation = Route(.revokeInvitation) { exchange in
        let request = try exchange.read(DecisionRequest.self)
        return try await exchange.decision(
            RevokeInvitation(
                id: exchange.captures["invitationId"], company: exchange.company,
                signed: request.signed.map { SubmittedStatement($0) }, caller: exchange.caller()))
    }
}

extension InvitationResponse {
    init(_ view: InvitationView) {
        self.init(
            invitationId: view.id, companyEmployeeId: view.companyEmployeeId, email: view.email,
            issuedAt: view.issuedAt, expiresAt: view.expiresAt)
    }
}

extension InvitationDecisionResponse {
    init(_ decision: InvitationDecision) {
        switch decision {
        case .issued(let view, let invitation, let position):
            self = .done(InvitationResponse(view), invitation: invitation, position: position)
        case .signatureRequired(let statement): self = .signatureRequired(statement: statement)
        }
    }
}
