import Foundation
import IdentityService
import Ledger
import Postgres
import Testing
import TestSupport

/// The primary is killed, its synchronous standby takes over, and the old primary returns.
///
/// It takes half a minute; the limit counts the wait for its turn among all scenarios too.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"), .timeLimit(.minutes(20)))
struct `A failover` {
    @Test func `loses nothing acknowledged, and the returning old primary is never written to`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        var options = WorldOptions()
        options.anchorFile = files.path("anchor")
        try await ReplicatedCluster.with { cluster in
            try await inTurn(options, on: cluster.url) { world in
                let drill = FailoverDrill(cluster: cluster, world: world, client: try world.client)
                _ = try await drill.client.found(FailoverDrill.company)
                try await drill.failOver()
                try await drill.expectNothingLost()
                try await drill.waitForAnchor(options.anchorFile)

                try await cluster.returnFirst()
                let before = try await cluster.events(in: world.database, on: cluster.first)
                try await cluster.endSessions(in: world.database, on: cluster.second)
                try await drill.expectRegistration(at: drill.client)
                for anchorFile in [nil, options.anchorFile] {
                    try await world.withSecondInstance(changing: { $0.anchorFile = anchorFile }) { url in
                        try await drill.expectRegistration(at: try Client(url, world.app))
                    }
                }
                try await cluster.second.kill()
                try await drill.expectRefusal(freshWith: options.anchorFile)
                #expect(try await cluster.events(in: world.database, on: cluster.first) == before)

                try await cluster.returnSecond()
                try await drill.expectRegistration(at: drill.client)
                try await drill.expectNothingLost()
                #expect(try await cluster.events(in: world.database, on: cluster.first) == before)
            }
        }
    }
}

/// What everybody was told while servers came and went.
struct FailoverDrill: Sendable {
    static let company = "failover.example"

    let cluster: ReplicatedCluster
    let world: TenureWorld
    let client: Client
    let record = FailoverRecord()

    /// Registers people all the time, kills the primary, promotes the standby, and returns when the service goes on.
    func failOver() async throws {
        try await withThrowingTaskGroup { group in
            for actor in 0..<4 {
                group.addTask {
                    var number = 0
                    while await !record.isOver {
                        _ = try await register("e\(actor)-\(number)", at: client)
                        number += 1
                    }
                }
            }
            try await poll("registrations before the failure") { await record.acknowledged.count >= 8 }
            let killed = ContinuousClock.now
            try await cluster.first.kill()
            try await poll("/readyz to answer 503") { try await readiness().status == 503 }
            let noticed = ContinuousClock.now - killed
            let promotion = ContinuousClock.now
            try await cluster.promote()
            let count = await record.acknowledged.count
            try await poll("registrations after the failure") { await record.acknowledged.count >= count + 8 }
            let first = await record.times[count]
            try await poll("/readyz to answer 200") { try await readiness().status == 200 }
            await record.end()
            try await group.waitForAll()
            let lines = await record.summary
            print("failover: 503 after \(noticed), goes on \(first - promotion) after the promotion began; \(lines)")
            // Beside everything else that a machine tests at once; alone it takes less than a second.
            #expect(noticed < .seconds(5))
        }
        let unexpected = await record.unexpected
        #expect(unexpected == [])
        #expect(await record.longest < .seconds(30), "no call takes longer than clients wait")
    }

    /// Everybody whose registration was acknowledged is there, and the log verifies.
    func expectNothingLost() async throws {
        try await client.settle(Self.company)
        for person in await record.acknowledged {
            let read = try await client.get(client.path(person))
            #expect(read.status == 200 && read["companyEmployeeId"]?.text == person.id, "\(person.id): \(read)")
        }
        let request = VerifyRequest(key: try await world.logKey())
        let report = try await onNewest { pool in try await VerifyLog(pool: pool, request: request).run() }
        #expect(report.violations == [], "\(report.violations)")
        #expect(report.events >= Int64(await record.acknowledged.count))
    }

    /// The anchor file names the server that was promoted.
    func waitForAnchor(_ path: String?) async throws {
        let file = AnchorFile(path: try #require(path))
        try await poll("the anchor file to name the new timeline") {
            try file.read()?.server?.timeline == 2
        }
    }

    /// A service takes a registration and records it on the new primary.
    func expectRegistration(at client: Client) async throws {
        let before = try await cluster.events(in: world.database, on: cluster.second)
        try await poll("a registration") { try await register("r\(UUID().uuidString)", at: client) }
        #expect(try await cluster.events(in: world.database, on: cluster.second) > before)
        let unexpected = await record.unexpected
        #expect(unexpected == [])
    }

    /// With the old primary alone, the running service waits and says why, and a fresh one does not start.
    func expectRefusal(freshWith anchorFile: String?) async throws {
        try await poll("/readyz to say that the server is behind") {
            let reply = try await readiness()
            return reply.status == 503 && String(decoding: reply.body, as: UTF8.self).contains("pg_rewind")
        }
        // Both wait a while for a server that can be used.
        async let registered = register("nobody", at: client)
        let error = await #expect(throws: PostgresError.self) {
            try await world.withSecondInstance(changing: { $0.anchorFile = anchorFile }) { _ in }
        }
        #expect(try await !registered)
        let unexpected = await record.unexpected
        #expect(unexpected == [])
        #expect(error?.code == .serverBehind)
        #expect(error?.description.contains("pg_basebackup") == true, "\(error?.description ?? "")")
    }

    private func readiness() async throws -> HTTPReply {
        let began = ContinuousClock.now
        let reply = try await client.send(HTTPRequest("GET", "/readyz"))
        await record.note(reply, after: ContinuousClock.now - began)
        return reply
    }

    /// Registers somebody; `false` if a step was refused with something that a client may repeat.
    private func register(_ id: String, at client: Client) async throws -> Bool {
        let person = Person(id, at: Self.company), device = Device()
        let begun = try await send(client.request("POST", "/v1/registrations", person.registration(device)), client)
        guard begun.status == 201, let handle = begun["flow"]?.text, let challenge = begun.challenge else {
            return false
        }
        let flow = Flow(client: client, kind: .registrations, handle: handle, challenge: challenge)
        let asked = try await send(flow.request("key", try flow.proof(device)), client)
        guard asked.status == 200 else { return false }
        let done = try await send(try flow.completion(person, asked), client)
        guard done.outcome == "authorizationPending" else { return false }
        await record.acknowledge(person)
        return true
    }

    private func send(_ request: HTTPRequest, _ client: Client) async throws -> HTTPReply {
        let began = ContinuousClock.now
        let reply = try await client.send(request)
        await record.note(reply, after: ContinuousClock.now - began)
        return reply
    }

    /// Runs `body` on the database, as a command of the operator would: with the newest of the servers.
    private func onNewest<Result>(_ body: (PostgresPool) async throws -> Result) async throws -> Result {
        var configuration = world.database.configuration(as: .reader)
        let newest = NewestServer()
        configuration.newestServer = newest
        await newest.probe([configuration], logger: TestServer.logger())
        return try await withPostgresPool(
            configuration: configuration, maximumConnections: 8, acquireTimeout: .seconds(300),
            logger: TestServer.logger(), body)
    }

    private func poll(_ what: String, _ isReached: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if try await isReached() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestServerError(description: "waited in vain for \(what)")
    }
}

/// The replies of a drill.
actor FailoverRecord {
    private(set) var acknowledged: [Person] = []
    private(set) var times: [ContinuousClock.Instant] = []
    private(set) var isOver = false
    /// Replies that are neither an answer nor a refusal that may be repeated.
    private(set) var unexpected: [String] = []
    private(set) var longest: Duration = .zero
    private var counts: [String: Int] = [:]

    func end() { isOver = true }

    func acknowledge(_ person: Person) {
        acknowledged.append(person)
        times.append(.now)
    }

    func note(_ reply: HTTPReply, after time: Duration) {
        longest = max(longest, time)
        counts["\(reply.status) \(reply.code ?? "")", default: 0] += 1
        // The row of a flow is not waited for. The flow may be lost with the primary, and the client begins again; or
        // its last step, and the client takes that step again.
        let isAnswer = reply.status < 300 || ["flow.expired", "flow.wrong_step"].contains(reply.code)
        let isRepeatable = reply.status == 503 && reply.headers["retry-after"] != nil
        if !isAnswer, !isRepeatable { unexpected.append("\(reply)") }
    }

    /// How many calls got which status, and the longest.
    var summary: String {
        let all = counts.sorted { $0.key < $1.key }.map { "\($0.value) with \($0.key)" }
        return "\(acknowledged.count) registrations, calls: \(all.joined(separator: ", ")), longest \(longest)"
    }
}
