import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/policy`. The `ETag` carries the policy's version.
    static let readPolicy = Route(.readPolicy) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.run(ReadPolicy(company: exchange.company, caller: exchange.caller()))
        var reply = Reply.json(view)
        reply.headers["ETag"] = EntityTag.text(view.version)
        return reply
    }

    /// `PATCH /v1/companies/{companyName}/policy`. `If-Match` carries the version that the caller has read.
    static let changePolicy = Route(.changePolicy) { exchange in
        let request = try exchange.read(PolicyChangeRequest.self)
        return try await exchange.decision(
            ChangePolicy(
                company: exchange.company, request, ifMatch: EntityTag.version(ifMatch: exchange.headers),
                caller: exchange.caller()))
    }

    static let linkApp = Route(.linkApp) { exchange in
        let request = try exchange.read(AppLinkRequest.self)
        return try await exchange.decision(
            LinkApp(
                appId: exchange.captures["appId"], company: exchange.company, .link(roles: request.roles),
                signed: request.signed, caller: exchange.caller()))
    }

    static let unlinkApp = Route(.unlinkApp) { exchange in
        let request = try exchange.read(DecisionRequest.self)
        return try await exchange.decision(
            LinkApp(
                appId: exchange.captures["appId"], company: exchange.company, .unlink,
                signed: request.signed, caller: exchange.caller()))
    }
}
