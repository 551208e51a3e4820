import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations`.
    static let startRegistration = Route(.startRegistration, body: .required) { exchange in
        let request = try exchange.read(RegistrationRequest.self)
        let started = try await exchange.service.startRegistration(
            RegistrationInput(
                companyName: request.companyName, companyEmployeeId: request.companyEmployeeId, email: request.email,
                isCompanyOwnedEmail: request.isCompanyOwnedEmail, employeePublicKey: request.employeePublicKey,
                invitation: request.invitation),
            app: exchange.app(), call: exchange.call)
        return .json(FlowStartedResponse(started), status: 201)
    }
}

extension Route {
    /// `POST /v1/companies/{companyName}/invitations`.
    static let issueInvitation = Route(.issueInvitation, body: .required) { exchange in
        let request = try exchange.read(InvitationRequest.self)
        let input = InvitationInput(
            company: exchange.company, companyEmployeeId: request.companyEmployeeId, email: request.email,
            seconds: request.expiresInSeconds ?? InvitationInput.usualSeconds, subjectSalt: request.subjectSalt,
            signed: request.signed.map { SubmittedStatement($0) })
        let decision = try await exchange.service.issueInvitation(
            input, caller: exchange.caller(), call: exchange.call)
        return .json(InvitationDecisionResponse(decision))
    }

    /// `GET /v1/companies/{companyName}/invitations`.
    static let listInvitations = Route(.listInvitations) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let views = try await exchange.service.invitations(of: exchange.company, caller: exchange.caller())
        return .json(PageResponse(items: views.map(InvitationResponse.init)))
    }

    /// `DELETE /v1/companies/{companyName}/invitations/{invitationId}`.
    static let revokeInvitation = Route(.revokeInvitation, body: .optional) { exchange in
        let request = try exchange.read(DecisionRequest.self)
        return .decision(
            try await exchange.service.revokeInvitation(
                exchange.captures["invitationId"], of: exchange.company,
                signed: request.signed.map { SubmittedStatement($0) }, caller: exchange.caller(), call: exchange.call))
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
