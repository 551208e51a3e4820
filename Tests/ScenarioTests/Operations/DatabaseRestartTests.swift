import Foundation
import Glibc
import Testing
import TestSupport

/// The database restarts while people register.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"), .timeLimit(.minutes(20)))
struct `A restart of the database` {
    private static let company = "restarted.example"

    @Test func `fails no call, but delays some`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await inTurn(on: cluster.url) { world in
                let client = try world.client, record = RestartRecord()
                _ = try await client.found(Self.company)
                try await withThrowingTaskGroup { group in
                    group.addTask { try await record.watchDelays() }
                    for actor in 0..<4 {
                        group.addTask {
                            var number = 0
                            while await !record.isOver {
                                try await Self.register("e\(actor)-\(number)", client, record)
                                number += 1
                            }
                        }
                    }
                    try await world.until { await record.registrations >= 8 }
                    let began = ContinuousClock.now
                    try await cluster.restart()
                    await record.restarted(in: ContinuousClock.now - began)
                    let count = await record.registrations
                    try await world.until { await record.registrations >= count + 8 }
                    await record.end()
                    try await group.waitForAll()
                }
                // A call waits five seconds for a connection. On a busy machine more than that passes meanwhile.
                let failures = await record.failures, isBusy = await record.isBusy
                if !isBusy { #expect(failures == []) }
                #expect(failures.allSatisfy { $0.contains("service.unavailable") }, "\(failures)")
            }
        }
    }

    private static func register(_ id: String, _ client: Client, _ record: RestartRecord) async throws {
        let person = Person(id, at: company), device = Device()
        let begun = try await client.send(client.request("POST", "/v1/registrations", person.registration(device)))
        guard await record.note(begun, isRight: begun.status == 201), let handle = begun["flow"]?.text,
            let challenge = begun.challenge
        else { return }
        let flow = Flow(client: client, kind: .registrations, handle: handle, challenge: challenge)
        let asked = try await client.send(flow.request("key", try flow.proof(device)))
        guard await record.note(asked, isRight: asked.status == 200) else { return }
        let done = try await client.send(try flow.completion(person, asked))
        _ = await record.note(done, isRight: done.outcome == "authorizationPending")
        await record.registered()
    }
}

/// What people were told during a restart.
private actor RestartRecord {
    private(set) var registrations = 0
    private(set) var failures: [String] = []
    private(set) var isOver = false
    /// Whether the restart took longer than it should, or programs waited for a processor.
    private(set) var isBusy = false

    func end() { isOver = true }
    func restarted(in time: Duration) {
        var load = 0.0
        let isLoaded = getloadavg(&load, 1) == 1 && load > Double(ProcessInfo.processInfo.activeProcessorCount)
        if time >= .seconds(3) || isLoaded { isBusy = true }
    }

    /// Measures by how much a pause is longer than it should be.
    func watchDelays() async throws {
        while !isOver {
            let began = ContinuousClock.now
            try await Task.sleep(for: .milliseconds(100))
            if ContinuousClock.now - began > .milliseconds(600) { isBusy = true }
        }
    }
    func registered() { registrations += 1 }

    func note(_ reply: HTTPReply, isRight: Bool) -> Bool {
        if !isRight { failures.append("\(reply)") }
        return isRight
    }
}
