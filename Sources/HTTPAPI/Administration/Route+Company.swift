import Canonical
import ErrorCodes
import FoundationEssentials
import IdentityService
import TenureAPI
import TenureServer

extension Route {
    static let readCompany = Route(.readCompany) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.run(
            ReadCompany(
                company: exchange.company, caller: exchange.caller(), waitFor: exchange.headers.waitFor()))
        return .json(view, position: view.position)
    }

    static let listCompanies = Route(.listCompanies) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let asked = try query.page()
        try query.finish()
        let page = try await exchange.run(ListCompanies(asked, app: exchange.app()))
        return .page(page, asked, of: exchange)
    }
}

extension ServiceError {
    /// Whether the address is to blame, which every refusal of one says.
    fileprivate var isAboutEmail: Bool {
        !members.isEmpty && members.allSatisfy { $0.place == .pointer("/email") }
    }
}

extension QueryReader {
    /// Reads which employees are wanted: by `employeeId`, by `email`, or all.
    fileprivate mutating func employees() throws(Refusal) -> EmployeeChoice {
        switch (text("employeeId"), text("email")) {
        case (nil, nil): return .all
        case (let id?, nil):
            guard let id = UUID(entered: id) else {
                throw .invalid(.parameter("employeeId"), "a UUID is expected")
            }
            return .id(id)
        case (nil, let email?):
            guard !email.isEmpty else { throw .invalid(.parameter("email"), "an address is expected") }
            return .email(email)
        case (_?, _?): throw .invalid(.parameter("email"), "employeeId or email is expected, not both")
        }
    }
}

extension Route {
    static let listEmployees = Route(.listEmployees) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let asked = try query.page(), choice = try query.employees()
        try query.finish()
        do {
            let page = try await exchange.run(
                ListEmployees(
                    company: exchange.company, choice, asked, caller: exchange.caller(),
                    waitFor: exchange.headers.waitFor()))
            return .page(page, asked, of: exchange)
        } catch let error as ServiceError where error.isAboutEmail {
            // The address is a parameter here, and no member of a body.
            throw Refusal.invalid(.parameter("email"), error.members.first?.detail ?? "an address is expected")
        }
    }

    static let readEmployee = Route(.readEmployee) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.run(
            ReadEmployee(
                company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                caller: exchange.caller(), waitFor: exchange.headers.waitFor()))
        return .json(view)
    }

    static let readSecurityAdmin = Route(.readSecurityAdmin) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.run(
            ReadSecurityAdmin(
                company: exchange.company, caller: exchange.caller(), waitFor: exchange.headers.waitFor()))
        return .json(view)
    }

    static let approveEmployee = decideStatus(.approveEmployee, .approve)
    static let cancelEmployee = decideStatus(.cancelEmployee, .cancel)
    static let reinstateEmployee = decideStatus(.reinstateEmployee, .reinstate)
    static let endEmployeeSessions = decideStatus(.endEmployeeSessions, .endSessions)

    private static func decideStatus(_ endpoint: Endpoint, _ action: DecideStatus.Action) -> Route {
        Route(endpoint) { exchange in
            // The log keeps a note of a cancellation, so no other decision takes one.
            let request =
                action == .cancel
                ? try exchange.read(StatusDecisionRequest.self)
                : StatusDecisionRequest(signed: try DecisionRequest(json: exchange.document()).signed)
            return try await exchange.decision(
                DecideStatus(
                    action, request, company: exchange.company,
                    companyEmployeeId: exchange.captures["companyEmployeeId"], caller: exchange.caller()))
        }
    }

    static let changeRole = Route(.changeRole) { exchange in
        let request = try exchange.read(RoleRequest.self)
        return try await exchange.decision(
            ChangeRole(
                request, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                caller: exchange.caller()))
    }

    static let reclaimEmail = Route(.reclaimEmail) { exchange in
        let request = try exchange.read(EmailReclaimRequest.self)
        return try await exchange.decision(
            ReclaimEmail(request, company: exchange.company, caller: exchange.caller()))
    }
}
