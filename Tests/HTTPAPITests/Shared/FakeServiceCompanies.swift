import Canonical
import TenureAPI

@testable import IdentityService
@testable import TenureServer

extension FakeService {
    static let summary = EmployeeSummaryResponse(
        employeeId: employeeId, tenantId: appId, companyName: "Acme", companyEmployeeId: "7", status: "active",
        role: "securityAdmin")
    static let key = EmployeeKeyResponse(
        fingerprint: fingerprint, employeePublicKey: [4, 1], state: "pending", presentedAt: time, decidedAt: nil)

    /// Somebody who waits with the fake device.
    static func waiting(
        _ id: String = "7", needsApproval: Bool = false, isConfirmed: Bool = true, isAdmin: Bool = false,
        origin: WaitingEntry.Origin = .invited, hasDevice: Bool = true
    ) -> WaitingEntry {
        WaitingEntry(
            employee: employeeId, companyEmployeeId: id, address: "\(id)@acme.example", isAddressConfirmed: isConfirmed,
            needsApproval: needsApproval, isNewPerson: true, isAdministrative: isAdmin, origin: origin,
            device: hasDevice
                ? .init(fingerprint: fingerprint, name: "Firefox on Linux", network: "203.0.113.0/24", expiresAt: time)
                : nil,
            since: time)
    }

    private func read(
        _ name: String, _ company: String, _ caller: Caller, _ waitFor: Int64?, _ more: [String: String] = [:]
    ) async throws {
        var details = ["company": company, "waitFor": waitFor.map(String.init) ?? "none"].merging(more) { $1 }
        if case .app = caller { details["caller"] = "app" } else { details["caller"] = "employee" }
        try await enter(name, details)
    }

    private static func view(keys: [EmployeeKeyResponse]?) -> EmployeeResponse {
        EmployeeResponse(
            employeeId: summary.employeeId, tenantId: summary.tenantId, companyName: summary.companyName,
            companyEmployeeId: summary.companyEmployeeId, status: summary.status,
            role: summary.role, email: "a@b.example", isCompanyOwnedEmail: true, registeredAt: time, keys: keys)
    }

    /// The answer of a projection.
    func projection(of read: any ProjectionRead) async throws -> any Sendable {
        switch read {
        case let company as ReadCompany:
            try await self.read("company", company.company, company.caller, company.waitFor)
            return CompanyResponse(
                tenantId: Self.appId, companyName: company.company, foundedAt: Self.time, employees: 3,
                confirmedDomain: nil,
                position: company.waitFor ?? 5)
        case let list as ListCompanies:
            try await enter("companies", ["after": "\(list.page.after)", "limit": "\(list.page.limit)"])
            return PageResponse(
                items: [LinkedCompanyResponse(tenantId: Self.appId, companyName: "Acme", foundedAt: Self.time)],
                next: next)
        case let list as ListEmployees:
            try await self.read(
                "employees", list.company, list.caller, list.waitFor,
                ["after": "\(list.page.after)", "limit": "\(list.page.limit)", "choice": "\(list.choice)"])
            return PageResponse(items: [Self.view(keys: nil)], next: next)
        case let one as ReadEmployee:
            try await self.read(
                "employee", one.company, one.caller, one.waitFor, ["employee": one.companyEmployeeId])
            return Self.view(keys: [Self.key])
        case let admin as ReadSecurityAdmin:
            try await self.read("securityAdmin", admin.company, admin.caller, admin.waitFor)
            return SecurityAdminResponse(employee: Self.summary, eventId: Self.appId, position: 1, since: Self.time)
        case let list as ListWaiting:
            try await self.read(
                "waiting", list.company, .employee(list.caller), list.waitFor, ["skipping": "\(list.skipping)"])
            return ListWaiting.Answer(entries: Array(waiting.dropFirst(list.skipping)), count: waiting.count)
        case is ReadShownName: return waiting.first?.name as any Sendable
        case let count as CountWaiting:
            if let refusal = refusals["countWaiting"] { throw refusal }
            return count.company == "Acme" ? waiting.count : 0
        case let list as ListPendingAuthorizations:
            try await self.read(
                "authorizations", list.company, list.caller, list.waitFor,
                [
                    "after": "\(list.page.after)", "limit": "\(list.page.limit)",
                    "wait": list.until.map { "\(Int((($0 - .now) / .seconds(1)).rounded(.up)))" } ?? "",
                ])
            return PageResponse(
                items: [
                    PendingAuthorizationResponse(
                        employee: Self.summary, key: Self.key, expiresAt: Self.time, position: 4,
                        statement: [7, 8, 9])
                ].filter { list.page.after < $0.position }, next: next)
        case let list as ListMPinIdentities:
            try await self.read(
                "mpinIdentities", list.company, list.caller, list.waitFor,
                ["after": "\(list.page.after)", "limit": "\(list.page.limit)"])
            return PageResponse(items: Self.mpinIdentities, next: next)
        default: throw Unanswered(request: "\(type(of: read))")
        }
    }

    /// The answer to a read of the log or of the policy; `nil` for other requests.
    func companyAnswer(to request: any UseCase) async throws -> (any Sendable)? {
        switch request {
        case let page as PageEntries:
            let query = page.query
            try await read(
                "events", page.company, page.caller, nil,
                [
                    "after": "\(query.page.after)", "limit": "\(query.page.limit)", "type": query.type ?? "none",
                    "employee": query.employee ?? "none", "asOf": query.asOf?.description ?? "none",
                ])
            return PageResponse(
                items: [
                    EventResponse(
                        position: 1, eventId: Self.appId, type: "EmployeeRegistered", stream: "employee/x",
                        streamVersion: 1, time: Self.time, actor: nil, app: nil, requestId: "r",
                        data: ["email": "a@b"])
                ], next: next)
        case is ReadAnchor: return "anchor"
        case let checkpoint as ReadCheckpoint:
            try await read("checkpoint", checkpoint.company, checkpoint.caller, nil)
            return "checkpoint"
        case let tile as ReadTile:
            try await read("tile", tile.company, tile.caller, nil, ["tile": tile.path])
            let tiles: [UInt8]? = tile.path == "none" ? nil : [1, 2, 3]
            return .some(tiles as any Sendable)
        case let proof as ProveEvent:
            try await read("proof", proof.company, proof.caller, nil, ["position": "\(proof.position)"])
            let text: String? = proof.position == 404 ? nil : "proof"
            return .some(text as any Sendable)
        case let policy as ReadPolicy:
            try await read("policy", policy.company, policy.caller, nil)
            return PolicyResponse(
                keyAuthorization: "application", approval: "automatic", blindOnly: false,
                questionsWithPassphrase: true, version: 3)
        default: return nil
        }
    }
}
