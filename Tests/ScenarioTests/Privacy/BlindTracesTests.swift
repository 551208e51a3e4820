import Canonical
import Foundation
import Postgres
import Testing

/// What a whole run in blind mode leaves in the service's process, in its log and on the database's disk.
@Suite(.onServer)
struct `The traces of a run in blind mode` {
    /// Set-up, a right and a wrong attempt, and a registration in a second company with the same secrets.
    private func run(_ person: Person, _ client: Client) async throws {
        let device = Device()
        expectOutcome(try await client.registerBlind(person, device), "success")
        expectOutcome(try await client.logInBlind(person, device), "success")
        var wrong = person
        wrong.passphrase = person.passphrase.map { "x" + $0 }
        for place in wrong.questions.indices.prefix(3) { wrong.questions[place].answer += "x" }
        let flow = try await BlindFlow.start(.logins, person, device, client)
        #expect(try await flow.complete(wrong) == nil, "no copy opens")
        let elsewhere = person.also("g", at: "second-\(person.company)")
        expectOutcome(try await client.registerBlind(elsewhere, device), "success")
    }

    /// The write-ahead log between two places, as whole segments.
    private func writeAheadLog(_ world: TenureWorld, from start: String) async throws -> Data {
        try await world.superuser { connection in
            let names = try await connection.query(
                """
                SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'
                    AND name BETWEEN pg_walfile_name(\(start)::pg_lsn) AND pg_walfile_name(pg_current_wal_lsn())
                ORDER BY name
                """)
            var log = Data()
            for name in try names.map({ try $0.decode(String.self) }) {
                let rows = try await connection.query("SELECT pg_read_binary_file(\("pg_wal/" + name))")
                log.append(contentsOf: try rows.first?.decode([UInt8].self) ?? [])
            }
            return log
        }
    }

    @Test(arguments: [true, false])
    func `hold no secret and nothing that confirms one: memory, log, tables, write-ahead log`(
        withQuestions: Bool
    ) async throws {
        try await inTurn { world in
            let company = "traces-\(withQuestions).example"
            let person = withQuestions ? Person.withQuestions("f", at: company) : Person("f", at: company)
            let start = try await world.superuser { connection in
                try #require(try await connection.query("SELECT pg_current_wal_lsn()::text").first).decode(String.self)
            }
            try await ServiceProcess.with(1, in: world, logLevel: "trace") { processes in
                let process = try #require(processes.first)
                try await run(person, process.client)
                let confirmers = try Confirmers(person, try await StoredSecrets.last(in: world))
                let (dump, _) = try await world.dump()
                let disk = try await writeAheadLog(world, from: start)
                #expect(confirmers.found(in: dump) == [])
                #expect(confirmers.found(in: disk) == [])
                // The searches find what is there: a name that is clear by decision.
                for place in [dump, disk] { #expect(Forms("company", company).isFound(in: place)) }
                if let memory = process.memory() {
                    #expect(memory.count > 1_000_000)
                    #expect(confirmers.found(in: memory) == [])
                    #expect(Forms("app id", world.app.appId).isFound(in: memory))
                } else {
                    print("the memory of a process cannot be read here: it was NOT searched")
                }
                let log = Data(await process.ended().utf8)
                #expect(log.count > 1_000)
                #expect(confirmers.found(in: log) == [])
            }
        }
    }
}
