import EventCoding
@testable import Identity
import Ledger
import Testing

@testable import IdentityService

/// What verification says of confirmed domains.
@Suite struct ConfirmedDomainTests {
    private func confirmed(_ domain: String, _ aLabel: String?, _ scene: HistoryScene) throws -> DomainConfirmed {
        try scene.history.byOperator(on: .tenant(scene.history.tenant)) {
            DomainConfirmed(domain: domain, aLabel: aLabel, by: $0)
        }
    }

    @Test func `a confirmation of either schema is lawful, also after decisions under the table`() throws {
        for aLabel in [nil, "acme.example"] {
            var scene = try HistoryScene()
            try scene.change(TenantPolicy(approval: .admin), by: .member(scene.founder, scene.founder.device))
            try scene.history.append(confirmed("acme.example", aLabel, scene))
            let by = try scene.reclaim(scene.staff, by: .app(scene.personnel))
            try scene.history.append(
                EmailReclaimed(
                    employeeID: scene.staff.id, userID: scene.staff.user, reason: Personal(scene.staff.id, "left"),
                    by: by), about: scene.staff)
            try scene.history.append(
                EmployeeCancelled(employeeID: scene.staff.id, reason: .reclaimed, by: by), about: scene.staff)
            try scene.history.expectLawful()
        }
    }

    @Test func `a domain of schema 1 that is in force is not confirmed again, and a copy of either is reported`() throws
    {
        for (first, second) in [
            (nil, nil), (nil, "acme.example"), ("acme.example", nil), ("acme.example", "acme.example"),
        ] {
            var scene = try HistoryScene()
            try scene.history.append(confirmed("acme.example", first, scene))
            try scene.history.append(confirmed("acme.example", second, scene))
            try scene.history.expectFinding("the event repeats an earlier decision", "\(first ?? "") \(second ?? "")")
        }
    }

    @Test func `another domain than the tenant's name is reported`() throws {
        for (domain, aLabel, words) in [
            (
                "other.example", "other.example",
                "the decision is refused in this state (confirm a domain): request.invalid"
            ),
            ("acme.example", "other.example", "the domain is malformed"),
            ("other.example", "acme.example", "the domain is malformed"),
        ] {
            var scene = try HistoryScene()
            try scene.history.append(confirmed(domain, aLabel, scene))
            let found = try scene.history.verify().findings.map(\.words)
            #expect(found.count == 1 && found.first?.hasPrefix(words.prefix(57)) == true, "\(found)")
        }
    }

    @Test func `a signature covers the A-labels and the schema`() throws {
        for (signed, recorded) in [("acme.example" as String?, nil as String?), (nil, "acme.example")] {
            var scene = try HistoryScene()
            let honest = try confirmed("acme.example", signed, scene)
            try scene.history.append(DomainConfirmed(domain: "acme.example", aLabel: recorded, by: honest.by))
            #expect(try scene.history.verify().findings.count == 1)
        }
    }
}
