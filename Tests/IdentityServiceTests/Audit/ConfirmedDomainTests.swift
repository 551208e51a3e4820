import EventCoding
@testable import Identity
import Ledger
import Testing

@testable import IdentityService

/// What verification says of confirmed domains.
@Suite struct ConfirmedDomainTests {
    private func confirmed(_ domain: String, _ aLabel: String, _ scene: HistoryScene) throws -> DomainConfirmed {
        try scene.history.byOperator(on: .tenant(scene.history.tenant)) {
            DomainConfirmed(domain: domain, aLabel: aLabel, by: $0)
        }
    }

    @Test func `a confirmation is lawful, also after decisions of the tenant`() throws {
        var scene = try HistoryScene()
        try scene.change(TenantPolicy(approval: .admin), by: .member(scene.founder, scene.founder.device))
        try scene.history.append(confirmed("acme.example", "acme.example", scene))
        let by = try scene.reclaim(scene.staff, by: .app(scene.personnel))
        try scene.history.append(
            EmailReclaimed(
                employeeID: scene.staff.id, userID: scene.staff.user, reason: Personal(scene.staff.id, "left"),
                by: by), about: scene.staff)
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.staff.id, reason: .reclaimed, by: by), about: scene.staff)
        try scene.history.expectLawful()
    }

    @Test func `a repeated confirmation is reported`() throws {
        var scene = try HistoryScene()
        for _ in 0..<2 { try scene.history.append(confirmed("acme.example", "acme.example", scene)) }
        try scene.history.expectFinding("the event repeats an earlier decision")
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

    @Test func `a signature covers the A-labels`() throws {
        var scene = try HistoryScene()
        let signed = try confirmed("acme.example", "other.example", scene)
        try scene.history.append(DomainConfirmed(domain: "acme.example", aLabel: "acme.example", by: signed.by))
        try scene.history.expectFinding("the operator's statement is about something else")
    }
}
