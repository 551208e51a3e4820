import Canonical
import Foundation
import IdentityService
import Keys
import TestSupport
import Testing

@Suite(.onServer)
struct `Rotating the master keys` {
    @Test func `under load fails no call of two instances, and old versions can be destroyed`() async throws {
        try await inTurn { world in
            let client = try world.client
            let member = try await client.found("rotation.example")
            try await world.withSecondInstance { url in
                let clients = [client, try Client(url, world.app)]
                let ends = Ending()
                let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                    for (number, client) in (clients + clients).enumerated() {
                        group.addTask {
                            try await Self.work(client, number, member, until: { await ends.isOver })
                        }
                    }
                    for _ in 0..<3 {
                        try await world.rotateAndRetire()
                        _ = try await world.erasing { try await $0.resume() }
                    }
                    await ends.end()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(counts.allSatisfy { $0 >= 2 }, "\(counts)")
            }
            #expect(try world.keyFile.load().heldVersions == [4])
        }
    }

    /// Registers, logs in and reads; returns how often.
    private static func work(
        _ client: Client, _ number: Int, _ member: Member, until isOver: () async -> Bool
    ) async throws -> Int {
        var count = 0, isDone = false
        while count < 2 || !isDone {
            let person = Person("w-\(number)-\(count)", at: "rotation.example")
            let joined = try await client.join(person)
            expectOutcome(try await client.logIn(member.person, member.device), "success")
            let read = try await client.get(client.path(person), at: joined.position)
            #expect(read["companyEmployeeId"]?.text == person.id, "\(read)")
            count += 1
            isDone = await isOver()
        }
        return count
    }

    private actor Ending {
        private(set) var isOver = false
        func end() { isOver = true }
    }
}

@Suite(.onServer)
struct `The commands of a terminal` {
    /// Runs `tenure` on a world's database and tells how it ended.
    private func tenure(
        _ arguments: [String], _ world: TenureWorld, _ changes: [String: String] = [:]
    ) async throws -> (status: Int32, lines: [String]) {
        var environment = [
            "TENURE_DATABASE_URL": world.database.url(as: .application),
            "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            "TENURE_MASTER_KEY_FILE": world.keyFile.path, "TENURE_OPERATOR_KEY_FILE": world.operatorKeyFile,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        environment.merge(changes) { _, new in new }
        return try await ChildProcess("tenure", arguments, environment: environment).finish()
    }

    @Test func `erase, rotate and retire, and report it`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("terminal.example")
            let leaver = try await client.join(Person("leaver-id", at: "terminal.example"))
            let who = ["erase", "--company", "terminal.example", "--employee", "leaver-id"]
            let shown = try await tenure(who + ["--dry-run", "--json"], world)
            #expect(shown.status == 0 && shown.lines.first?.contains("leaver-id") == true)
            #expect(try await tenure(who, world).status == 64, "no terminal to ask")
            #expect(try await client.get("/v1/sessions", by: leaver.session).status == 200)
            let erased = try await tenure(who + ["--yes", "--json"], world)
            #expect(erased.status == 0 && erased.lines.first?.contains(#""masterVersion":1"#) == true)
            try expectProblem(try await client.get("/v1/sessions", by: leaver.session), "session.invalid")
            #expect(try await tenure(["erase", "--user", "nobody@mail.example", "--yes"], world).status == 6)
            #expect(try await tenure(["erase", "--company", "terminal.example"], world).status == 64)
            let founder = ["erase", "--company", "terminal.example", "--employee", "founder", "--yes"]
            #expect(try await tenure(founder, world).status == 4)

            #expect(try await tenure(["key", "retire", "1", "--yes"], world).status == 1)
            #expect(try await tenure(["key", "rotate", "--prepare"], world).status == 0)
            let prepared = try await tenure(["key", "status", "--json"], world)
            #expect(prepared.lines.count == 2 && prepared.lines.last?.contains(#""bucketKeys":0"#) == true)
            #expect(prepared.lines.first?.contains(#""erasures":1"#) == true, "\(prepared.lines)")
            #expect(prepared.lines.last?.contains(#""erasures":0"#) == true, "\(prepared.lines)")
            #expect(try await tenure(["key", "rotate"], world).status == 0)
            #expect(try await tenure(["key", "retire", "1"], world).status == 64, "no terminal to ask")
            #expect(try await tenure(["key", "retire", "1", "--yes"], world).status == 0)
            let status = try await tenure(["key", "status", "--json"], world)
            #expect(status.lines.count == 1 && status.lines.first?.contains(#""erasures":0"#) == true)
            #expect(try world.keyFile.load().heldVersions == [2])
            #expect(try await tenure(["erase", "--reapply", "--json"], world).status == 0)
            let member = try await client.join(Person("next", at: "terminal.example"))
            #expect(try await client.get(client.path(member.person))["companyEmployeeId"]?.text == "next")
        }
    }

    @Test func `refuse keys from the environment if a file is needed, and unsafe roles`() async throws {
        try await inTurn { world in
            let keys = String(decoding: try world.keyFile.load().json(), as: UTF8.self)
            let environment = ["TENURE_MASTER_KEY_FILE": "", "TENURE_MASTER_KEYS": keys]
            #expect(try await tenure(["key", "status"], world, environment).status == 0)
            for arguments in [["key", "rotate"], ["key", "retire", "1", "--yes"], ["erase", "--resume"]] {
                #expect(try await tenure(arguments, world, environment).status == 64, "\(arguments)")
            }
            #expect(try await tenure(["key", "status"], world, ["TENURE_MASTER_KEYS": keys]).status == 64)
            for (name, role) in [
                ("TENURE_DATABASE_URL", TestDatabase.Role.superuser), ("TENURE_DATABASE_URL", .owner),
                ("TENURE_DATABASE_URL", .reader), ("TENURE_READER_DATABASE_URL", .owner),
                ("TENURE_READER_DATABASE_URL", .superuser),
            ] {
                let ended = try await tenure(["serve"], world, [name: world.database.url(as: role)])
                #expect(ended.status == 64, "\(name) as \(role)")
            }
        }
    }
}
