import Canonical
import Foundation
import IdentityService
import Keys
import Ledger
import Postgres
import Testing
import TestSupport

/// A log of real flows: signatures of devices, users and admins, and the operations that outsiders read it by.
@Suite(.onServer, .sharedWorld)
struct `The log as an outsider sees it` {
    /// A company with every kind of signature in its ledger.
    private func makeCompany(_ name: String) async throws -> (client: Client, founder: Member) {
        let client = try sharedWorld().client
        let person = Person.withQuestions("f", at: name)
        let founder = try await client.found(name, by: person)
        expectOutcome(try await client.logIn(person, founder.device), "success")
        for byAdmin in [true, false] {
            let employee = Person("employee-\(byAdmin)", at: name)
            let device = Device()
            _ = try await client.register(employee, device)
            let path = client.path(employee, "/keys/\(device.fingerprint)/authorization")
            expectOutcome(
                byAdmin ? try await client.signed(by: founder, "POST", path) : try await client.post(path), "done")
        }
        return (client, founder)
    }

    private func verify(_ company: String) async throws -> VerifyReport {
        let world = try sharedWorld()
        let request = VerifyRequest(key: try await world.logKey(), ledger: try await world.ledger(company))
        return try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
    }

    @Test func `real flows verify with their signatures`() async throws {
        _ = try await makeCompany("verify.example")
        let report = try await verify("verify.example")
        #expect(report.violations == [], "\(report.violations)")
        #expect(report.events > 10)
    }

    /// Whoever has the database and the service's keys can write what they like before the seal, but cannot sign.
    @Test(arguments: [
        ("AnswersValidated", "deviceSignature"), ("AnswersValidated", "userSignature"),
        ("AnswersValidated", "challenge"), ("AnswersValidated", "userKey"), ("EmployeeKeyAuthorized", "signature"),
        ("EmployeeKeyAuthorized", "key"),
    ])
    func `a changed signature is found`(type: String, member: String) async throws {
        let company = "forged-\(type.lowercased())-\(member.lowercased()).example"
        _ = try await makeCompany(company)
        let world = try sharedWorld()
        let ledger = try await world.ledger(company)
        // One letter in the middle of the member's base64, so that the entry stays canonical.
        let rows = try await world.superuser { connection in
            try await connection.query(
                """
                SELECT position, entry FROM tenure.event WHERE ledger_id = \(ledger.uuid) AND type = \(type)
                ORDER BY position DESC LIMIT 1
                """)
        }
        let (position, entry) = try #require(rows.first).decode(Int64.self, [UInt8].self)
        var text = String(decoding: entry, as: UTF8.self)
        let start = try #require(text.range(of: "\"\(member)\":\"", options: .backwards)).upperBound
        let place = text.index(start, offsetBy: 30)
        text.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
        let changed = Array(text.utf8)
        _ = try await world.rewrite(
            "UPDATE tenure.event SET entry = \(changed) WHERE ledger_id = \(ledger.uuid) AND position = \(position)")
        let report = try await verify(company)
        #expect(
            report.violations.contains { $0.kind == .signature && $0.position == position }, "\(report.violations)")
    }

    /// With what the operations answer, and nothing else: the log is read, hashed and proved by an outsider.
    @Test func `checkpoint, tiles, entries and proofs agree`() async throws {
        let (client, founder) = try await makeCompany("tiles.example")
        let path = "/v1/companies/tiles.example"
        let world = try sharedWorld()
        var signed: SignedCheckpoint?
        for _ in 0..<1_200 {
            let reply = try await client.get(path + "/checkpoint", by: founder.session)
            if reply.status == 200, let text = reply.plain { signed = try SignedCheckpoint(parsing: text) }
            if signed.map({ $0.checkpoint.size >= 12 }) == true { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        let checkpoint = try #require(signed)
        let ledger = try await world.ledger("tiles.example"), key = try await world.logKey()
        #expect(checkpoint.ledger == ledger)
        try checkpoint.verify(key)
        let size = checkpoint.checkpoint.size
        let entries = try await client.get(path + "/tile/entries/000.p/\(size)", by: founder.session)
        #expect(entries.status == 200)
        let log = try EntryBundle.decode(entries.body)
        #expect(MerkleTree.root(leaves: log.map(MerkleTree.leafHash)) == checkpoint.checkpoint.root)
        let tile = try await client.get(path + "/tile/0/000.p/\(size)", by: founder.session)
        #expect(tile.body == log.flatMap(MerkleTree.leafHash))
        for position in [1, size] {
            let reply = try await client.get(path + "/events/\(position)/proof", by: founder.session)
            let proof = try TlogProof(parsing: try #require(reply.plain))
            try proof.verify(entry: log[Int(position) - 1], key: key)
        }
        for absent in ["/tile/0/001", "/tile/0/000", "/tile/9/000", "/tile/x", "/events/99999/proof"] {
            #expect(try await client.get(path + absent, by: founder.session).status == 404, "\(absent)")
        }
        let anchor = try await client.get("/anchor")
        #expect(try Anchor(parsing: try #require(anchor.plain)).key == key)
    }
}

extension TenureWorld {
    /// The installation's keys, as somebody who has the master keys reads them.
    private func keyRing() async throws -> KeyRing {
        try await database.withPool { pool in try await KeyRing.load(from: pool, masters: masters) }
    }

    /// The public half of the key that signs checkpoints.
    func logKey() async throws -> LogKey {
        try CheckpointSigner(name: "tenure", secret: try await keyRing().checkpointSigningKey()).key
    }

    /// The ledger of a company whose name is in lower-case ASCII.
    func ledger(_ company: String) async throws -> LedgerID {
        LedgerID(try await keyRing().tenantID(companyName: Array(company.utf8)))
    }
}

extension HTTPReply {
    /// The body as text, when it is served as such.
    fileprivate var plain: String? {
        headers["content-type"] == "text/plain; charset=utf-8" ? String(decoding: body, as: UTF8.self) : nil
    }
}

extension TenureWorld {
    /// Changes the newest entry of a type in a company's ledger, as whoever has the service's keys too can before the seal.
    ///
    /// - Parameter change: The members of `data` to exchange, each by a text of its place.
    /// - Returns: The entry's position.
    func forge(
        _ type: String, of company: String, _ change: (JSONValue) throws -> [(old: String?, new: String)]
    ) async throws -> Int64 {
        try await forge(type, in: try await ledger(company).uuid, change)
    }

    /// The same in any ledger.
    func forge(
        _ type: String, in ledger: UUID, _ change: (JSONValue) throws -> [(old: String?, new: String)]
    ) async throws -> Int64 {
        let rows = try await superuser { connection in
            try await connection.query(
                """
                SELECT position, entry FROM tenure.event WHERE ledger_id = \(ledger) AND type = \(type)
                ORDER BY position DESC LIMIT 1
                """)
        }
        let (position, entry) = try #require(rows.first).decode(Int64.self, [UInt8].self)
        var text = String(decoding: entry, as: UTF8.self)
        let data = try #require(try StrictJSON.parse(entry)["data"])
        for (old, new) in try change(data) {
            let old = try #require(old)
            try #require(text.contains(old))
            text = text.replacing(old, with: new)
        }
        let changed = Array(text.utf8)
        _ = try await rewrite(
            "UPDATE tenure.event SET entry = \(changed) WHERE ledger_id = \(ledger) AND position = \(position)")
        return position
    }
}
