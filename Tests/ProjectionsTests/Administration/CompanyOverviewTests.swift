import Canonical
import Foundation
@testable import Identity
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct CompanyOverviewTests {
    @Test func `the list has every company with its counts, by name, over any number of pages`() async throws {
        try await Stage.run { stage in
            var scripts: [CompanyScript] = []
            for (index, name) in ["c.test", "a.test", "b.test"].enumerated() {
                var script = CompanyScript(name)
                for number in 0...index { _ = try script.register("E-\(number)") }
                try script.cancel(try script.register("E-gone"))
                scripts.append(script)
            }
            try scripts[0].decide(DomainConfirmed(domain: "c.test", aLabel: "c.test", by: .operator(nil)))
            for script in scripts { try await stage.append(script) }
            try await stage.following { _ in
                for script in scripts { try await stage.settle(script) }
            }
            let found = try await CompanyOverview.all(stage.readers, pageSize: 2)
            #expect(found.map(\.companyName) == ["a.test", "b.test", "c.test"])
            #expect(try await CompanyOverview.all(stage.readers) == found)
            for script in scripts {
                let tenant = try #require(try script.state().tenant)
                let overview = try #require(found.first { $0.id == script.tenant })
                #expect(overview.foundedAt == tenant.foundedAt && overview.employees == tenant.employees)
                #expect(overview.linkedApps == Int64(tenant.linkedApps.count))
                #expect(overview.events == Int64(script.events.count))
                #expect(overview.confirmedDomain == tenant.confirmedDomain)
            }
            #expect(found.map(\.confirmedDomain) == [nil, nil, "c.test"])
        }
    }
}
