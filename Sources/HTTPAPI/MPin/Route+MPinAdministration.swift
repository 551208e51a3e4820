import IdentityService
import TenureAPI

extension Route {
    static let verifyMPin = Route(.verifyMPin) { exchange in
        let request = try exchange.read(DecisionRequest.self)
        return try await exchange.decision(
            DecideMPin(
                .verify, company: exchange.company, identity: exchange.captures["identityId"],
                signed: request.signed, caller: exchange.caller()))
    }

    static let revokeMPin = Route(.revokeMPin) { exchange in
        let request = try DecisionRequest(jsonWithReason: exchange.document())
        return try await exchange.decision(
            DecideMPin(
                .revoke(reason: request.reason ?? ""), company: exchange.company,
                identity: exchange.captures["identityId"], signed: request.signed,
                caller: exchange.caller()))
    }

    static let linkMPin = Route(.linkMPin) { exchange in
        let request = try exchange.read(MPinLinkRequest.self)
        return try await exchange.decision(
            LinkMPin(
                request, company: exchange.company, identity: exchange.captures["identityId"],
                caller: exchange.employee()))
    }

    static let issueMPinActivation = Route(.issueMPinActivation) { exchange in
        let request = try exchange.read(MPinActivationRequest.self)
        return try await exchange.reply(
            to: IssueMPinActivation(request, company: exchange.company, caller: exchange.caller())
        ) { .json($0) }
    }

    /// `GET /v1/companies/{companyName}/mpin/policy`. The `ETag` carries the policy's version.
    static let readMPinPolicy = Route(.readMPinPolicy) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.run(ReadMPinPolicy(company: exchange.company, caller: exchange.caller()))
        var reply = Reply.json(view)
        reply.headers["ETag"] = EntityTag.text(view.version)
        return reply
    }

    /// `PATCH /v1/companies/{companyName}/mpin/policy`. `If-Match` carries the version that the caller has read.
    static let changeMPinPolicy = Route(.changeMPinPolicy) { exchange in
        let request = try exchange.read(MPinPolicyChangeRequest.self)
        return try await exchange.decision(
            ChangeMPinPolicy(
                company: exchange.company, request, ifMatch: EntityTag.version(ifMatch: exchange.headers),
                caller: exchange.caller()))
    }
}
