import Canonical
import ErrorCodes
import EventCoding
import Foundation
import Identity
import IdentityService
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

/// A clock that was wrong once stops what depends on it, and never leaves a log that looks changed.
@Suite(.onServer)
struct `A wrong clock` {
    /// A service whose clock is ahead of the database's.
    private static func fast(_ options: inout WorldOptions) {
        options.settings.now = { .now().adding(.seconds(86_400)) }
        options.settings.clockTolerance = Appender.clockTolerance
    }

    /// A service that compares the times of events with the database's clock, as every service but those of tests does.
    private static var strict: WorldOptions {
        var options = WorldOptions()
        options.settings.clockTolerance = Appender.clockTolerance
        return options
    }

    /// Appends an event that is an hour ahead, as a service without the check did. A head alone is set right.
    @discardableResult
    private func putAhead(_ ledger: LedgerID, _ world: TenureWorld, by seconds: Int = 3_600) async throws -> Timestamp {
        let future = Timestamp.now().adding(.seconds(seconds)), codes = try await world.codes
        let session = SessionID(UUID()), stream = StreamID(ledger: ledger, kind: "session", id: session.uuid)
        let event = try EventCodec.encode(
            SessionClosed(sessionID: session, reason: .expired), id: UUID(), stream: stream, keys: [:],
            metadata: EventMetadata())
        let append = Append(events: [event], expectations: [stream: 0], time: future)
        try await world.database.withPool { pool in
            let results = try await pool.withTransaction(in: [ledger]) { connection in
                try await Appender.append([append], codes: codes, tolerance: nil, on: &connection)
            }
            for result in results { _ = try result.get() }
        }
        return future
    }

    private func tenure(
        _ arguments: [String], _ world: TenureWorld, operatorKey: String? = nil
    ) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", arguments,
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path,
                "TENURE_OPERATOR_KEY_FILE": operatorKey ?? world.operatorKeyFile, "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: true
        ).finish()
    }

    /// Waits until a checkpoint covers the ledger as it is now.
    private func awaitSeal(of ledger: LedgerID, _ world: TenureWorld) async throws {
        try await world.database.withPool(as: .reader) { pool in
            let size = try await LedgerReader(pool: pool, codes: .unchecked, storesTiles: false).head(ledger)?.size ?? 0
            while try await pool.query(
                "SELECT FROM tenure.checkpoint WHERE ledger_id = \(ledger.uuid) AND size >= \(size)", in: [LedgerID]()
            ).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    private func expectVerified(_ world: TenureWorld) async throws {
        let verified = try await tenure(["verify"], world)
        #expect(verified.status == 0, "\(verified.lines)")
    }

    @Test func `of a service records nothing, and the service says so`() async throws {
        try await inTurn(Self.strict) { world in
            let company = "fast-clock.example"
            let owner = try await world.client.found(company)
            try await world.withSecondInstance(changing: Self.fast) { url in
                let client = try Client(url, world.app)
                let ready = try await client.get("/readyz", by: .nobody)
                try expectProblem(ready, "service.unavailable")
                #expect("\(String(describing: ready["errors"]))".contains("clock"))
                let flow = try await Flow.logIn(owner.person, owner.device, client)
                let asked = try await flow.prove(owner.device)
                try expectProblem(try await flow.complete(owner.person, asked), "service.clock")
            }
            // The other process goes on, and the log is as it was.
            expectOutcome(try await world.client.logIn(owner.person, owner.device), "success")
            try await expectVerified(world)
        }
    }

    @Test func `of an operator is refused, and the log verifies`() async throws {
        try await inTurn(Self.strict) { world in
            let company = "operators-clock.example"
            _ = try await world.client.found(company)
            for (seconds, code) in [(3_600, ErrorCode.serviceClock), (-3_600, .requestStale)] {
                try await world.withSecondCommands(ahead: seconds) { commands in
                    let error = await #expect(throws: ServiceError.self) {
                        try await commands.confirmDomain(company: company)
                    }
                    #expect(error?.code == code)
                }
            }
            try await world.confirmDomain(of: company)
            try await expectVerified(world)
        }
    }

    @Test func `leaves one ledger behind, which takes events again when the operator accepts its time`() async throws {
        try await inTurn(Self.strict) { world in
            let client = try world.client
            let owner = try await client.found("ahead.example"), other = try await client.found("beside.example")
            let ledger = try await world.ledger("ahead.example")
            let future = try await putAhead(ledger, world)
            try expectProblem(try await client.logIn(owner.person, owner.device), "service.clock")
            expectOutcome(try await client.logIn(other.person, other.device), "success")
            #expect(try await client.get("/readyz", by: .nobody).status == 200)

            let refused = try await tenure(["ledger", "accept-time", "beside.example"], world)
            #expect(refused.status == 1, "\(refused)")
            let unsigned = try await tenure(["ledger", "accept-time", "ahead.example"], world, operatorKey: "")
            #expect(unsigned.status != 0, "\(unsigned)")
            let accepted = try await tenure(["ledger", "accept-time", "ahead.example"], world)
            #expect(accepted.status == 0, "\(accepted)")
            let again = try await tenure(["ledger", "accept-time", "ahead.example"], world)
            #expect(again.status == 1, "\(again)")

            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
            try await world.confirmDomain(of: "ahead.example")
            let events = try await world.database.withPool(as: .reader) { pool in
                let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
                let system = try await reader.ledger(.system, limit: 1_000).events
                let all = try await reader.ledger(ledger, limit: 1_000).events
                #expect(all.last?.type == "DomainConfirmed" && all.suffix(3).allSatisfy { $0.time == future })
                #expect(system.allSatisfy { $0.time < future })
                return system.filter { $0.type == "LedgerTimeAccepted" }
            }
            let event = try #require(events.first)
            #expect(events.count == 1 && event.stream.id == ledger.uuid)
            #expect(event.data["time"]?.text == future.description)
            #expect(event.data["ledger"]?.text == ledger.uuid.lowercased)
            #expect(event.data["by"]?["kind"]?.text == "operator" && event.data["by"]?["signature"] != nil)
            // Directories have the clock's time, so no other company is touched.
            expectOutcome(try await client.logIn(other.person, other.device), "success")
        }
    }

    @Test func `of the system ledger never stops the signing of checkpoints`() async throws {
        try await inTurn(Self.strict) { world in
            let client = try world.client
            let owner = try await client.found("sealed-ahead.example")
            let future = try await putAhead(.system, world)
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
            let ledger = try await world.ledger("sealed-ahead.example")
            try await awaitSeal(of: ledger, world)
            try await world.database.withPool(as: .reader) { pool in
                let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
                let last = try await reader.ledger(.system, limit: 1_000).events.last
                #expect(last?.type == "CheckpointSealed" && last.map { $0.time > future.adding(.seconds(-60)) } == true)
            }
            // An operator's decision waits for the acceptance.
            let creation = ["app", "create", "late", "--role", "ACCESS", "--json"]
            let refused = try await tenure(creation, world)
            #expect(refused.status != 0, "\(refused)")
            let accepted = try await tenure(["ledger", "accept-time", "system"], world)
            #expect(accepted.status == 0, "\(accepted)")
            let decided = try await tenure(creation, world)
            #expect(decided.status == 0, "\(decided)")
        }
    }

    @Test func `for an hour is explained by one command for all ledgers, and what comes later is found`() async throws {
        try await inTurn(Self.strict) { world in
            let client = try world.client
            let owner = try await client.found("bad-hour.example"), clock = TestClock()
            // Times are held from the first checkpoint on.
            try await awaitSeal(of: try await world.ledger("bad-hour.example"), world)
            clock.pass(.seconds(3_600))
            // Service and database are an hour ahead, for several events of each ledger.
            try await world.withSecondInstance(changing: { options in
                options.settings.now = { clock.now }
                options.settings.clockTolerance = nil
            }) { url in
                let client = try Client(url, world.app)
                for _ in 0..<3 {
                    expectOutcome(try await client.logIn(owner.person, owner.device), "success")
                    clock.pass(.seconds(120))
                }
            }
            try expectProblem(try await client.logIn(owner.person, owner.device), "service.clock")
            while try await client.get("/readyz", by: .nobody)["clocks"] == nil {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await client.get("/readyz", by: .nobody).status == 200)
            #expect(world.logs.contains { $0.contains("ledgers are ahead of the database's clock") })

            let asked = try await tenure(["ledger", "accept-time", "--all"], world)
            #expect(asked.status == 64 && asked.lines.contains { $0.hasPrefix("Ahead: ledger ") }, "\(asked)")
            let accepted = try await tenure(["ledger", "accept-time", "--all", "--yes"], world)
            let count = accepted.lines.count { $0.hasPrefix("Accepted: ") }
            #expect(accepted.status == 0 && count >= 3, "\(accepted)")
            #expect(accepted.lines.last == "\(count) ledgers take events again.")
            let again = try await tenure(["ledger", "accept-time", "--all", "--yes"], world)
            #expect(again.status == 0 && again.lines.last?.hasPrefix("No ledger") == true, "\(again)")

            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
            let verified = try await tenure(["verify"], world)
            #expect(verified.status == 0, "\(verified.lines)")
            #expect(verified.lines.count { $0.contains("the operator accepted that ledger") } == count)
            // Somebody appends an event of a still later time.
            try await putAhead(try await world.ledger("bad-hour.example"), world, by: 7_200)
            let forged = try await tenure(["verify"], world)
            #expect(forged.status == 3 && forged.lines.contains { $0.contains("is later than") }, "\(forged.lines)")
        }
    }
}
