import Canonical
import Foundation
import IdentityService
import Keys
import Testing
import TestSupport

/// Long polls for pending device keys.
@Suite(.onServer)
struct `Callers that wait for a key` {
    /// Waits until a number of callers wait at an instance.
    private func settle(_ instance: RunningInstance, _ count: Int) async throws {
        for _ in 0..<900 {
            if await instance.metrics().contains("tenure_waiting_callers \(count)\n") { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("\(count) callers never waited")
    }

    @Test func `cost fewer than 20 transactions a second together, and all learn of a key`() async throws {
        try await inTurn { world in
            let proxy = try CuttingProxy(url: world.database.url, .before, count: 0)
            defer { proxy.stop() }
            let masters = try MasterKeyStore(file: world.keyFile)
            try await RunningInstance.with(
                world.database, world.options, masters, CollectedLog(), through: proxy.url
            ) { instance in
                let client = try Client(instance.baseURL, world.app)
                let companies = ["one.example", "two.example", "three.example", "four.example"]
                for company in companies { _ = try await client.found(company) }
                async let replies = concurrently(100) { number in
                    try await client.get(client.path(companies[number % 4], "/authorizations?wait=20"))
                }
                try await settle(instance, 100)
                let before = proxy.transactions
                // One more measures the time.
                let reply = try await client.get(client.path(companies[0], "/authorizations?wait=5"))
                let spent = proxy.transactions - before
                #expect(reply.status == 200 && reply["items"]?.items.isEmpty == true, "\(reply)")
                #expect(await instance.metrics().contains("tenure_waiting_callers 100\n"))
                #expect(spent < 20 * 5, "\(spent)")
                for company in companies {
                    expectOutcome(
                        try await client.register(Person("new", at: company), Device()), "authorizationPending")
                }
                for reply in try await replies {
                    #expect(reply.status == 200 && reply["items"]?.items.count == 1, "\(reply)")
                }
            }
        }
    }

    @Test func `are refused at the end if their session ended or their app was unlinked meanwhile`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "refused.example"
            let founder = try await client.found(company)
            let path = client.path(company, "/authorizations?wait=20")
            async let listed = client.get(path, by: founder.session)
            try await settle(world.instance, 1)
            _ = try await client.send(client.request("DELETE", "/v1/sessions/current", by: founder.session))
            expectOutcome(try await client.register(Person("new", at: company), Device()), "authorizationPending")
            try expectProblem(try await listed, "session.invalid")

            // No key comes, so the end of the time tells.
            let app = try await world.makeApp(name: "second")
            try await world.linkApp(app, to: company)
            let unlinked = client.path(company, "/authorizations?wait=3&after=1000000")
            async let second = client.by(app).get(unlinked)
            try await settle(world.instance, 1)
            let id = try #require(UUID(uuidString: app.appId))
            _ = try await world.instance.commands.unlinkApp(id, from: company)
            try expectProblem(try await second, "company.unknown")
        }
    }

    @Test func `get their answer when the service shuts down`() async throws {
        let (waiting, began) = try await inTurn { world in
            let client = try world.client, company = "down.example"
            _ = try await client.found(company)
            let path = client.path(company, "/authorizations?wait=20")
            let waiting = Task { try await client.get(path) }
            let began = ContinuousClock.now
            try await settle(world.instance, 1)
            return (waiting, began)
        }
        let reply = try await waiting.value
        #expect(reply.status == 200 && reply["items"]?.items.isEmpty == true, "\(reply)")
        #expect(ContinuousClock.now - began < .seconds(18))
    }

    @Test func `end their wait when they leave`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "left.example"
            _ = try await client.found(company)
            let request = client.request("GET", client.path(company, "/authorizations?wait=20"))
            let began = ContinuousClock.now
            async let leaving: [Void] = concurrently(10) { _ in
                try await client.lose(request, cut: .afterSending(milliseconds: 3_000))
            }
            try await settle(world.instance, 10)
            _ = try await leaving
            try await settle(world.instance, 0)
            #expect(ContinuousClock.now - began < .seconds(18))
        }
    }
}
