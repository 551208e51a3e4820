import IdentityService
import TenureAPI
import TenureServer

extension Route {
    /// `GET /v1/companies/{companyName}/mpin/identities`.
    static let listMPinIdentities = Route(.listMPinIdentities) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let after = try query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try query.integer("limit", in: 1...200) ?? 50
        try query.finish()
        let page = try await exchange.run(
            ListMPinIdentities(
                company: exchange.company, after: after, limit: Int(limit), caller: exchange.caller(),
                waitFor: exchange.headers.waitFor()))
        return .page(
            PageResponse(items: page.items.map(MPinIdentityResponse.init), next: page.next), limit: limit, of: exchange)
    }
}

extension MPinIdentityResponse {
    init(_ view: MPinIdentityView) {
        self.init(
            identityId: view.identityId, userId: view.userId, deviceName: view.deviceName, status: view.status,
            verification: view.verification, startedAt: view.startedAt, expiresAt: view.expiresAt,
            companyEmployeeId: view.companyEmployeeId, failures: Int64(view.failures), endReason: view.endReason)
    }
}
