import IdentityService
import TenureAPI

extension Route {
    static let listGrants = Route(.listGrants) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(PageResponse(items: try await exchange.run(ListOwnGrants(caller: exchange.employee()))))
    }

    static let endGrant = Route(.endGrant) { exchange in
        try await exchange.run(EndOwnGrant(grant: exchange.captures["grantId"], caller: exchange.employee()))
        return .noContent
    }

    static let listEmployeeGrants = Route(.listEmployeeGrants) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let grants = try await exchange.run(
            ListEmployeeGrants(
                company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                caller: exchange.caller()))
        return .json(PageResponse(items: grants))
    }
}
