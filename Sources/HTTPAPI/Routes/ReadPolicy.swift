import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/policy`; the version is the `ETag`.
    static let readPolicy = Route(.readPolicy) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.service.policy(of: exchange.company, caller: exchange.caller())
        var reply = Reply.json(PolicyResponse(view))
        reply.headers["ETag"] = EntityTag.text(view.version)
        return reply
    }
}
