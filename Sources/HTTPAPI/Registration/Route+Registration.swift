import IdentityService
import TenureAPI

extension Route {
    static let startRegistration = Route(.startRegistration) { exchange in
        let request = try exchange.read(RegistrationRequest.self)
        return try await exchange.reply(
            to: StartRegistration(request, app: exchange.app())
        ) { .json($0, status: 201) }
    }

    static let issueInvitation = Route(.issueInvitation) { exchange in
        let request = try exchange.read(InvitationRequest.self)
        return try await exchange.reply(
            to: IssueInvitation(request, company: exchange.company, caller: exchange.caller())
        ) { .json($0) }
    }

    static let listInvitations = Route(.listInvitations) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let views = try await exchange.run(ListInvitations(company: exchange.company, caller: exchange.caller()))
        return .json(PageResponse(items: views))
    }

    static let revokeInvitation = Route(.revokeInvitation) { exchange in
        let request = try exchange.read(DecisionRequest.self)
        return try await exchange.decision(
            RevokeInvitation(
                id: exchange.captures["invitationId"], company: exchange.company,
                signed: request.signed, caller: exchange.caller()))
    }
}
