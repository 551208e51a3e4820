import Canonical

@testable import IdentityService

extension FakeService {
    static let summary = EmployeeSummary(
        companyName: "Acme", companyEmployeeId: "7", status: "active", role: "securityAdmin")
    static let key = EmployeeKeyView(
        fingerprint: fingerprint, employeePublicKey: [4, 1], state: "pending", presentedAt: time, decidedAt: nil)

    private func read(
        _ name: String, _ company: String, _ caller: Caller, _ waitFor: Int64?, _ more: [String: String] = [:]
    ) async throws {
        var details = ["company": company, "waitFor": waitFor.map(String.init) ?? "none"].merging(more) { $1 }
        if case .app = caller { details["caller"] = "app" } else { details["caller"] = "employee" }
        try await enter(name, details)
    }

    func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView {
        try await read("company", name, caller, waitFor)
        return CompanyView(
            companyName: name, foundedAt: Self.time, employees: 3, confirmedDomain: nil, position: waitFor ?? 5)
    }

    private static func view(keys: [EmployeeKeyView]?) -> EmployeeView {
        EmployeeView(
            summary: summary, email: "a@b.example", isCompanyOwnedEmail: true, registeredAt: time, keys: keys)
    }

    func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView> {
        try await read("employees", company, caller, waitFor, ["after": "\(after)", "limit": "\(limit)"])
        return Page(items: [Self.view(keys: nil)], next: next)
    }

    func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView {
        try await read("employee", company, caller, waitFor, ["employee": companyEmployeeId])
        return Self.view(keys: [Self.key])
    }

    func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView {
        try await read("securityAdmin", company, caller, waitFor)
        return SecurityAdminView(employee: Self.summary, eventId: Self.appId, position: 1, since: Self.time)
    }

    func pendingAuthorizations(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView> {
        try await read("authorizations", company, caller, waitFor, ["after": "\(after)", "limit": "\(limit)"])
        return Page(
            items: [
                PendingAuthorizationView(
                    employee: Self.summary, key: Self.key, expiresAt: Self.time, position: 4, statement: [7, 8, 9])
            ].filter { after < $0.position }, next: next)
    }

    func events(of company: String, _ query: EventQuery, caller: Caller) async throws -> Page<EventView> {
        try await read(
            "events", company, caller, nil,
            [
                "after": "\(query.after)", "limit": "\(query.limit)", "type": query.type ?? "none",
                "employee": query.employee ?? "none", "asOf": query.asOf?.description ?? "none",
            ])
        return Page(
            items: [
                EventView(
                    position: 1, eventId: Self.appId, type: "EmployeeRegistered", stream: "employee/x",
                    streamVersion: 1, time: Self.time, actor: nil, app: nil, requestId: "r", data: ["email": "a@b"])
            ], next: next)
    }

    func anchor() async throws -> String { "anchor" }

    func checkpoint(of company: String, caller: Caller) async throws -> String {
        try await read("checkpoint", company, caller, nil)
        return "checkpoint"
    }

    func tile(_ path: String, of company: String, caller: Caller) async throws -> [UInt8]? {
        try await read("tile", company, caller, nil, ["tile": path])
        return path == "none" ? nil : [1, 2, 3]
    }

    func proof(of position: Int64, company: String, caller: Caller) async throws -> String? {
        try await read("proof", company, caller, nil, ["position": "\(position)"])
        return position == 404 ? nil : "proof"
    }

    func policy(of company: String, caller: Caller) async throws -> PolicyView {
        try await read("policy", company, caller, nil)
        return PolicyView(
            keyAuthorization: "application", approval: "automatic", blindOnly: false, questionsWithPassphrase: true,
            version: 3)
    }
}
