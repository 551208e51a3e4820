import Foundation
import Keys
import Ledger
import Testing

@testable import Identity
@testable import IdentityService
@testable import Postgres

/// What a start sends to the database must not tell an app that is not linked whether there is a company.
struct SubjectReadingTests {
    private let context: ServiceContext
    private let linked = AppID(UUID()), other = AppID(UUID())

    init() throws { context = try .unconnected() }

    private func subject(_ company: String) throws -> IdentityService.FlowSubject {
        let name = try CompanyName(company)
        return IdentityService.FlowSubject(
            tenantId: TenantID(context.ring.tenantID(companyName: name.canonical)), companyName: name,
            companyEmployeeId: try CompanyEmployeeID("somebody"), employee: nil)
    }

    /// Texts of statements and lengths of what is bound.
    private func shape(_ company: String, for app: AppID) throws -> [String] {
        SubjectReading(try subject(company), for: app, context).reads.statements.map {
            "\($0.text) \($0.parameters.bytes.count)"
        }
    }

    /// Lets the process remember a company, as a start through an app that is linked does.
    private func remember(_ company: String) throws {
        var state = Tenant.initial
        state.founding = EventPlace(id: UUID(), position: 1)
        state.linkedApps = [linked]
        let tenant = TenantSnapshot(
            id: try subject(company).tenantId, state: state, version: 2, leaves: [:],
            head: StreamHead(version: 2, event: UUID()))
        context.companies.remember(tenant, for: linked)
    }

    @Test func `a company that is hidden from an app is read like one that does not exist`() throws {
        try remember("there.example")
        let missing = try shape("nowhere.example", for: other)
        #expect(try shape("there.example", for: other) == missing)
        // The app that may see it has it remembered.
        #expect(try shape("there.example", for: linked) != missing)
        #expect(try shape("nowhere.example", for: linked) == missing)
    }

    @Test func `nothing is remembered on behalf of an app that may not see it`() throws {
        var state = Tenant.initial
        state.founding = EventPlace(id: UUID(), position: 1)
        state.linkedApps = [linked]
        let id = try subject("there.example").tenantId
        context.companies.remember(TenantSnapshot(id: id, state: state, version: 2, leaves: [:]), for: other)
        #expect(context.companies.recall(id, for: linked) == nil)
        #expect(try shape("there.example", for: linked) == shape("nowhere.example", for: linked))
    }
}
