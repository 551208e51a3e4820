import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}`.
    static let readCompany = Route(.readCompany) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.service.company(
            exchange.company, caller: exchange.caller(), waitFor: exchange.headers.waitFor())
        return .json(CompanyResponse(view), position: view.position)
    }
}

extension Route {
    /// `GET /v1/companies/{companyName}/employees`.
    static let listEmployees = Route(.listEmployees) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let after = try query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try query.integer("limit", in: 1...200) ?? 50
        try query.finish()
        let page = try await exchange.service.employees(
            of: exchange.company, after: after, limit: Int(limit), caller: exchange.caller(),
            waitFor: exchange.headers.waitFor())
        return .page(
            PageResponse(items: page.items.map(EmployeeResponse.init), next: page.next), limit: limit, of: exchange)
    }
}

extension Route {
    /// `GET /v1/companies/{companyName}/employees/{companyEmployeeId}`.
    static let readEmployee = Route(.readEmployee) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(
            EmployeeResponse(
                try await exchange.service.employee(
                    exchange.captures["companyEmployeeId"], of: exchange.company, caller: exchange.caller(),
                    waitFor: exchange.headers.waitFor())))
    }
}

extension Route {
    /// `GET /v1/companies/{companyName}/security-admin`.
    static let readSecurityAdmin = Route(.readSecurityAdmin) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(
            SecurityAdminResponse(
                try await exchange.service.securityAdmin(
                    of: exchange.company, caller: exchange.caller(), waitFor: exchange.headers.waitFor())))
    }
}

extension Route {
    /// `POST …/employees/{companyEmployeeId}/approval`.
    static let approveEmployee = decideStatus(.approveEmployee, .approve)
    /// `POST …/employees/{companyEmployeeId}/cancellation`.
    static let cancelEmployee = decideStatus(.cancelEmployee, .cancel)
    /// `POST …/employees/{companyEmployeeId}/reinstatement`.
    static let reinstateEmployee = decideStatus(.reinstateEmployee, .reinstate)
    /// `POST …/employees/{companyEmployeeId}/sessions/end`.
    static let endEmployeeSessions = decideStatus(.endEmployeeSessions, .endSessions)

    private static func decideStatus(_ endpoint: Endpoint, _ action: StatusDecisionInput.Action) -> Route {
        Route(endpoint, body: .optional) { exchange in
            let request = try exchange.read(StatusDecisionRequest.self)
            let input = StatusDecisionInput(
                action: action, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                note: request.note, signed: request.signed.map { SubmittedStatement($0) })
            return .decision(
                try await exchange.service.decideStatus(input, caller: exchange.caller(), call: exchange.call))
        }
    }
}

extension Route {
    /// `POST …/employees/{companyEmployeeId}/role`.
    static let changeRole = Route(.changeRole, body: .required) { exchange in
        let request = try exchange.read(RoleRequest.self)
        let role: RoleInput.Role =
            switch request.role {
            case .admin: .admin
            case .securityAdmin: .securityAdmin
            case .employee: .employee
            }
        let input = RoleInput(
            role: role, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
            fingerprints: request.fingerprints)
        return .decision(
            try await exchange.service.changeRole(
                input, signed: request.signed.map { SubmittedStatement($0) }, caller: exchange.caller(),
                call: exchange.call))
    }
}

extension Route {
    /// `POST /v1/companies/{companyName}/reclaimed-emails`.
    static let reclaimEmail = Route(.reclaimEmail, body: .required) { exchange in
        let request = try exchange.read(EmailReclaimRequest.self)
        return .decision(
            try await exchange.service.reclaimEmail(
                request.email, reason: request.reason, company: exchange.company,
                signed: request.signed.map { SubmittedStatement($0) }, caller: exchange.caller(), call: exchange.call))
    }
}
