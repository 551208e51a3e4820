import IdentityService
import TenureAPI
import TenureServer

extension Route {
    static let listDevices = Route(.listDevices) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let caller = try exchange.employee()
        let devices = try await exchange.run(ListDevices(caller: caller))
        let notices = try await exchange.run(ReadNotices(caller: caller))
        return .json(DevicesResponse(items: devices, notices: notices))
    }

    static let revokeDevice = Route(.revokeDevice) { exchange in
        let request = try DecisionRequest(jsonWithReason: try exchange.document())
        return try await exchange.decision(
            RevokeDevice(
                fingerprint: exchange.captures["fingerprint"], reason: request.reason ?? "",
                signed: request.signed, caller: exchange.employee()))
    }

    /// `GET /v1/companies/{companyName}/authorizations`. Lists pending device keys only.
    ///
    /// With `wait`, the request is a long poll: it replies as soon as a key is pending. After a wait the caller is
    /// authenticated and authorized again, so an admin whose session ended or who was dismissed gets no result.
    static let listAuthorizations = Route(.listAuthorizations) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        if let state = query.text("state"), state != "pending" {
            throw Refusal.invalid(.parameter("state"), "pending is expected")
        }
        let asked = try query.page()
        let wait = try query.integer("wait", in: 0...20) ?? 0
        try query.finish()
        let page = try await exchange.run(
            ListPendingAuthorizations(
                company: exchange.company, asked, caller: exchange.caller(),
                waitFor: exchange.headers.waitFor(), until: wait > 0 ? .now + .seconds(wait) : nil))
        if wait > 0 { try await exchange.authenticateAgain() }
        return .page(page, asked, of: exchange)
    }

    static let authorizeKey = decideKey(.authorizeKey, .authorize)
    static let refuseKey = decideKey(.refuseKey, .refuse)
    static let revokeKey = decideKey(.revokeKey, .revoke)

    private static func decideKey(
        _ endpoint: Endpoint, _ action: DecideKey.Action
    ) -> Route {
        Route(endpoint) { exchange in
            let document = try exchange.document()
            let request =
                action == .authorize
                ? try DecisionRequest(json: document) : try DecisionRequest(jsonWithReason: document)
            return try await exchange.decision(
                DecideKey(
                    action, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                    fingerprint: exchange.captures["fingerprint"], reason: request.reason,
                    signed: request.signed, caller: exchange.caller()))
        }
    }
}
