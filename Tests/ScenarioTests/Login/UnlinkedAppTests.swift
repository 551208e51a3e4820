import Foundation
import Postgres
import Testing

/// An app without a link learns nothing, and the operator learns that the link is missing.
@Suite(.onServer)
struct `An app that is not linked to a company` {
    /// The number of calls that the metrics name for an app; `nil` for none.
    private func calls(of app: TestApp, _ world: TenureWorld) async -> Int? {
        let start = "tenure_unlinked_app_calls{app=\"\(app.appId)\"} "
        let lines = await world.instance.metrics().split(separator: "\n")
        return lines.first { $0.hasPrefix(start) }.flatMap { Int($0.dropFirst(start.count)) }
    }

    @Test func `begins flows that read as much as others`() async throws {
        try await inTurn { world in
            let (own, other, absent) = ("timing-one.example", "timing-two.example", "timing-nil.example")
            _ = try await world.client.found(own)
            _ = try await world.client.found(other)
            let app = try await world.makeApp(name: "timing")
            try await world.linkApp(app, to: own)
            // A flow remembers whose streams are read in place of those that are hidden or do not exist.
            // Decoys of several names differ in their keys, so the shortest of some counts.
            func bytes(_ company: String) async throws -> Int64 {
                try await world.superuser { try await $0.executeScript("DELETE FROM tenure.flow") }
                for number in 0..<12 {
                    let body = Person("nobody-\(number)", at: company).login(Device())
                    #expect(try await world.client.by(app).post("/v1/logins", body).status == 201)
                }
                return try await world.number("SELECT min(octet_length(sealed))::bigint FROM tenure.flow")
            }
            let known = try await bytes(own), hidden = try await bytes(other), unknown = try await bytes(absent)
            #expect(abs(hidden - known) < 40 && abs(unknown - hidden) < 40, "\(known) \(hidden) \(unknown)")
        }
    }

    @Test func `is named in the metrics with its calls, and never the company`() async throws {
        try await inTurn { world in
            let client = try world.client
            let (company, absent) = ("unlinked-calls.example", "unlinked-nowhere.example")
            let founder = try await client.found(company)
            let app = try await world.makeApp(name: "unlinked calls")
            let unlinked = client.by(app)
            #expect(await calls(of: app, world) == nil)
            // A decoy answers, as it does for a company that does not exist.
            for place in [company, absent] {
                let body = Person("somebody", at: place).login(Device())
                for kind in ["logins", "credentials/changes", "recoveries"] {
                    #expect(try await unlinked.post("/v1/\(kind)", body).status == 201, "\(kind) at \(place)")
                }
                try expectProblem(try await unlinked.get(unlinked.path(place)), "company.unknown")
            }
            #expect(await calls(of: app, world) == 4, "calls for a company that does not exist are not counted")
            try expectProblem(
                try await unlinked.post("/v1/registrations", Person("new", at: company).registration(Device())),
                "app.not_linked")
            #expect(await calls(of: app, world) == 5)
            #expect(await calls(of: world.app, world) == nil, "the app that founded the company is linked")

            try await world.linkApp(app, to: company)
            expectOutcome(try await unlinked.logIn(founder.person, founder.device), "success")
            #expect(await calls(of: app, world) == 5)
            for said in world.logs.filter({ $0.contains("not linked") }) + [await world.instance.metrics()] {
                #expect(!said.contains(company) && !said.contains(absent), "\(said)")
            }
        }
    }
}
