import Canonical
import Credentials
import Foundation
import IdentityService
import Keys
import Ledger
import Testing
import TestSupport

/// Recoveries as the log's reader sees them, and what a forger gets who can sign with keys of the company.
@Suite(.onServer)
struct `Recorded recoveries` {
    private func verify(_ world: TenureWorld, waits: Bool = false) async throws -> [Violation] {
        var request = VerifyRequest(key: try await world.logKey())
        request.now = world.options.settings.now
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        // Recoveries wait for nothing in most worlds, which is found.
        return report.violations.filter { waits || $0.detail != Self.tooSoon }
    }

    private static let tooSoon = "a recovery is available before the waiting time is over"

    private func directory(of scene: RecoveryScene) async throws -> LedgerID {
        let opened = try await scene.client.events(scene.lost.person.company).last {
            $0["type"]?.text == "RecoveryOpened"
        }
        return .directory(try #require(UUID(uuidString: opened?["data"]?["userId"]?.text ?? "")).uuid.0)
    }

    @Test func `verify in both ledgers, and a forged change in either is reported`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "recovery-verify.example"
            let scene = try await RecoveryScene(company, client)
            // Confirmed, and later cancelled, by the owner's own device; ended by a log-in; confirmed by an admin.
            expectOutcome(try await scene.open(), "done")
            expectOutcome(try await scene.confirm(by: scene.lost), "done")
            expectOutcome(
                try await client.finishRecovery(scene.renewed, scene.device, blind: true), "authorizationPending")
            let owner = try Member(
                scene.renewed, scene.lost.device, try await client.logIn(scene.renewed, scene.lost.device))
            try await scene.approve()
            expectOutcome(try await client.cancelRecovery(scene.lost.person, scene.device, by: owner), "done")
            try await scene.approve()
            expectOutcome(try await client.logIn(scene.renewed, scene.lost.device), "success")
            try await scene.approve()
            expectOutcome(try await client.cancelRecovery(scene.lost.person, scene.device, by: scene.admin), "done")
            #expect(try await verify(world) == [])
            let ledger = try await directory(of: scene)
            let founder = scene.founder.device.point
            // One person twice, with signatures that fit: the second decision is signed by the first person's device.
            let position = try await world.forge("RecoveryConfirmed", in: ledger.uuid) { data in
                let old = data["by"]?["statement"]?.text
                var statement = try RecoveryStatement(
                    parsing: try bytes(base64url: old), expecting: .recoveryConfirmation)
                statement.context.signer = try StatementKey(bytes: founder)
                let signature = try bytes(base64: scene.founder.device.sign(statement.bytes, .raw))
                return [
                    (old, Base64URL.encode(statement.bytes)),
                    (data["by"]?["signature"]?.text, Base64URL.encode(signature)),
                    (data["by"]?["key"]?.text, Base64URL.encode(founder)),
                ]
            }
            let found = try await verify(world).filter { $0.kind == .signature }
            let words = "the company's ledger has no such decision about a recovery"
            #expect(found.contains { $0.ledger == ledger && $0.position == position && $0.detail == words }, "\(found)")
            let other = "the user's directory has no such decision about a recovery"
            #expect(found.contains { $0.detail == other }, "\(found)")
        }
    }

    private func data(of type: String, in company: String, _ client: Client) async throws -> JSONValue {
        try #require(try await client.events(company).last { $0["type"]?.text == type }?["data"])
    }

    /// The members of a confirmation to exchange, signed anew.
    private func forged(
        _ data: JSONValue, _ member: String, by device: Device
    ) throws -> [(old: String?, new: String)] {
        if member == "person" {
            let confirmer = data["confirmerId"]?.text ?? "", user = data["userId"]?.text ?? ""
            return [("\"confirmerId\":\"\(confirmer)\"", "\"confirmerId\":\"\(user)\"")]
        }
        let old = data["by"]?["statement"]?.text
        var statement = try RecoveryStatement(parsing: try bytes(base64url: old), expecting: .recoveryConfirmation)
        let hash = [UInt8](repeating: 7, count: 32)
        if member == "key" { statement.keyHash = hash } else { statement.followsHash = hash }
        let signature = try bytes(base64: device.sign(statement.bytes, .raw))
        return [
            (old, Base64URL.encode(statement.bytes)),
            (data["by"]?["signature"]?.text, Base64URL.encode(signature)),
        ]
    }

    /// Forges the newest confirmation of a company and gives back what is found at its two places.
    private func findings(_ member: String, _ world: TenureWorld, _ scene: RecoveryScene) async throws -> [String] {
        let company = scene.lost.person.company
        let data = try await data(of: "RecoveryConfirmed", in: company, scene.client)
        // The same bytes in both ledgers, as a forger would see to it.
        let changes = try forged(data, member, by: scene.admin.device)
        let user = try await directory(of: scene)
        let tenant = try await world.ledger(company)
        let first = try await world.forge("RecoveryConfirmed", in: user.uuid) { _ in changes }
        let second = try await world.forge("RecoveryConfirmed", in: tenant.uuid) { _ in changes }
        let found = try await verify(world)
        var words: [String] = []
        for violation in found where violation.kind == .signature {
            let isThere =
                (violation.ledger == user && violation.position == first)
                || (violation.ledger == tenant && violation.position == second)
            if isThere { words.append(violation.detail) }
        }
        return words
    }

    @Test func `verify if the owner ended one by a change or from another tenant`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "recovery-ended.example", elsewhere = "recovery-ended-elsewhere.example"
            let person = Person("lost", at: company, email: "\(Person.word())@\(company)")
            let scene = try await RecoveryScene(company, client, lost: person)
            try await world.confirmDomain(of: company)
            _ = try await client.found(elsewhere)
            let there = try await client.join(person.also("contractor", at: elsewhere))
            try await scene.approve()
            expectOutcome(try await client.logIn(there.person, there.device), "success")
            try await scene.approve()
            expectOutcome(try await client.change(person, to: scene.renewed, scene.lost.device), "success")
            expectOutcome(try await client.logIn(scene.renewed, scene.lost.device), "success")
            #expect(try await verify(world) == [])
        }
    }

    @Test func `with a shortened waiting time are reported`() async throws {
        try await inTurn(.waiting(TestClock())) { world in
            let scene = try await RecoveryScene("recovery-shortened.example", try world.client)
            try await scene.approve()
            #expect(try await verify(world, waits: true) == [])
            let data = try await data(of: "RecoveryOpened", in: scene.lost.person.company, scene.client)
            var changes: [(old: String?, new: String)] = []
            for member in ["availableAt", "expiresAt"] {
                let old = try #require(data[member]?.text)
                let time = try #require(Timestamp(old)).adding(.seconds(-23 * 3_600))
                changes.append((old, time.description))
            }
            let forged = changes
            for ledger in [try await directory(of: scene).uuid, try await world.ledger(scene.lost.person.company).uuid]
            {
                _ = try await world.forge("RecoveryOpened", in: ledger) { _ in forged }
            }
            let found = try await verify(world, waits: true).map(\.detail)
            #expect(found.contains(Self.tooSoon), "\(found)")
        }
    }

    @Test(arguments: ["follows", "key", "person"])
    func `that a forger re-signs in both ledgers are reported by their content`(member: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let scene = try await RecoveryScene("recovery-forged-\(member).example", client)
            try await scene.approve()
            let found = try await findings(member, world, scene)
            let words =
                member == "person"
                ? "the event names another person than the company's ledger" : "the statement is about another recovery"
            #expect(found.contains(words), "\(found)")
        }
    }
}

/// Recoveries at the operator's command line.
@Suite(.onServer)
struct `A recovery at the command line` {
    private func tenure(
        _ arguments: [String], _ world: TenureWorld, withDatabase: Bool = true
    ) async throws -> (status: Int32, lines: [String]) {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if withDatabase {
            environment["TENURE_READER_DATABASE_URL"] = world.database.url(as: .reader)
            environment["TENURE_MASTER_KEY_FILE"] = world.keyFile.path
        }
        return try await ChildProcess("tenure", arguments, environment: environment).finish()
    }

    /// Waits until what happened up to a position is sealed.
    private func sealed(_ company: String, upTo position: Int64, _ client: Client) async throws {
        for _ in 0..<1_200 {
            let reply = try await client.get(client.path(company, "/checkpoint"))
            let note = String(decoding: reply.body, as: UTF8.self)
            if reply.status == 200, let signed = try? SignedCheckpoint(parsing: note),
                signed.checkpoint.size >= position
            {
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("nothing was sealed")
    }

    @Test func `is replayed with its deciders, and verifies in the database and in a full bundle`() async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let client = try world.client
            let company = "replayed-recovery.example"
            let scene = try await RecoveryScene(company, client)
            try await scene.approve()
            clock.pass(.seconds(25 * 3_600))
            let done = try await client.finishRecovery(scene.renewed, scene.device, blind: false)
            expectOutcome(done, "authorizationPending")
            let replayed = try await tenure(["replay", "--company", company], world)
            #expect(replayed.status == 0)
            for (type, who) in [("RecoveryOpened", "founder"), ("RecoveryConfirmed", "admin")] {
                let line = replayed.lines.first { $0.contains(type) }
                #expect(line?.contains("lost") == true && line?.contains("by \(who)") == true, "\(replayed.lines)")
            }
            let files = try TemporaryFiles()
            defer { files.remove() }
            let bundle = files.path("bundle")
            try await sealed(company, upTo: try #require(done["position"]?.number), client)
            // The system ledger has events of the clock that is ahead, too, and a checkpoint covers them in its time.
            var whole = try await tenure(["verify"], world)
            for _ in 0..<60 where whole.lines.contains(where: { $0.contains("later than the database's clock") }) {
                try await Task.sleep(for: .milliseconds(500))
                whole = try await tenure(["verify"], world)
            }
            #expect(whole.status == 0, "\(whole.lines)")
            #expect(try await tenure(["replay", "--export", bundle], world).status == 0)
            let key = try #require(try await tenure(["anchor", "--key-only"], world).lines.first)
            let verified = try await tenure(
                ["verify", "--bundle", bundle, "--key", key], world, withDatabase: false)
            #expect(verified.status == 0, "\(verified.lines)")
        }
    }
}
