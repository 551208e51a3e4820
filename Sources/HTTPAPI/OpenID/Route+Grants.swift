import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/me/grants`.
    static let listGrants = Route(.listGrants) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(PageResponse(items: try await exchange.run(ListOwnGrants(caller: exchange.employee()))))
    }

    /// `DELETE /v1/me/grants/{grantId}`.
    static let endGrant = Route(.endGrant) { exchange in
        try await exchange.run(EndOwnGrant(grant: exchange.captures["grantId"], caller: exchange.employee()))
        return .noContent
    }

    /// `GET /v1/companies/{companyName}/employees/{companyEmployeeId}/grants`.
    static let listEmployeeGrants = Route(.listEmployeeGrants) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let grants = try await exchange.run(
            ListEmployeeGrants(
                company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                caller: exchange.caller()))
        return .json(PageResponse(items: grants))
    }
}
