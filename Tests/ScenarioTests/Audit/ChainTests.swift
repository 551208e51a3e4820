import Canonical
import Foundation
import IdentityService
import Ledger
import TestSupport
import Testing

@testable import Credentials

/// From any employee's key to the tenant's root, and what a forger who can sign with some key of their own gets from it.
@Suite(.onServer, .sharedWorld)
struct `The chain of authority` {
    private func verify(
        _ company: String?, founder: String? = nil, chain: String? = nil
    ) async throws -> VerifyReport {
        let world = try sharedWorld()
        var ledger: LedgerID?
        if let company { ledger = try await world.ledger(company) }
        let request = VerifyRequest(
            key: try await world.logKey(), ledger: ledger, founderFingerprint: founder, chainFingerprint: chain)
        return try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
    }

    private func expectFinding(
        _ words: String, at position: Int64, of company: String, in report: VerifyReport,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let ledger = try await sharedWorld().ledger(company)
        let found = report.violations.filter { $0.ledger == ledger && $0.position == position }
        #expect(
            found.contains { $0.kind == .signature && $0.detail == words }, "\(report.violations)",
            sourceLocation: sourceLocation)
    }

    private func authorize(_ person: Person, by admin: Member, _ client: Client) async throws -> Member {
        let device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        expectOutcome(
            try await client.signed(
                by: admin, "POST", client.path(person, "/keys/\(device.fingerprint)/authorization")),
            "done")
        return try Member(person, device, try await client.logIn(person, device))
    }

    @Test func `leads by admins' signatures to the pinned root, and by an app's to its link`() async throws {
        let client = try sharedWorld().client
        let company = "chain.example"
        let founder = try await client.found(company)
        let admin = try await authorize(Person("admin", at: company), by: founder, client)
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(admin.person, "/role"),
                ["role": "admin", "fingerprints": [.string(admin.device.fingerprint)]]), "done")
        let last = try await authorize(Person("last", at: company), by: admin, client)
        let vouched = try await client.join(Person("vouched", at: company))
        // Ended keys leave the chain of what they signed before.
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(admin.person, "/role"), ["role": "employee"]),
            "done")
        expectOutcome(
            try await client.signed(
                by: admin, "POST", "/v1/devices/\(admin.device.fingerprint)/revocation", ["reason": "lost"]), "done")

        let root = founder.device.fingerprint
        let report = try await verify(company, founder: root, chain: last.device.fingerprint)
        #expect(report.violations == [], "\(report.violations)")
        func fingerprint(_ link: AuthorityLink) -> String? {
            if case .key(let fingerprint, _) = link.subject { fingerprint } else { nil }
        }
        #expect(report.chain.map(fingerprint) == [last, admin, founder].map(\.device.fingerprint))
        #expect(report.chain.map(\.grantor) == [.employee, .employee, .founding])
        #expect(report.chain.map(\.isEnded) == [false, true, false])
        let positions = report.chain.compactMap(\.position)
        #expect(positions.count == 3 && positions == positions.sorted(by: >))

        let app = try await verify(company, founder: root, chain: vouched.device.fingerprint)
        #expect(app.chain.map(\.grantor) == [.app, .founding])
        let appId = try #require(UUID(uuidString: client.app.appId))
        #expect(app.chain.last?.subject == .app(appId))
        let foreign = try await verify(company, founder: Device().fingerprint, chain: last.device.fingerprint)
        #expect(foreign.violations.map(\.detail) == ["the founder's first key is not the pinned one"])
        #expect(try await verify(company, chain: Device().fingerprint).chain == [])
    }

    /// The forger has a device key in force, say a bribed admin's, and can make every signature fit.
    @Test(arguments: ["ledgerRoot", "authority", "policy", "nobody"])
    func `does not accept a re-signed statement about another past`(member: String) async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "chain-\(member.lowercased()).example"
        let founder = try await client.found(company)
        let stranger = Device()
        _ = try await authorize(Person("second", at: company), by: founder, client)
        let position = try await world.forge("EmployeeKeyAuthorized", of: company) { data in
            let old = data["by"]?["statement"]?.text
            var statement = try KeyStatement(
                parsing: try bytes(base64url: old), expecting: .keyAuthorization)
            let hash = [UInt8](repeating: 7, count: 32)
            let signer = member == "nobody" ? stranger : founder.device
            switch member {
            case "ledgerRoot": statement.context.ledgerRoot = hash
            case "authority": statement.context.authority = hash
            case "policy": statement.policyHash = hash
            default: statement.context.signer = try StatementKey(bytes: stranger.point)
            }
            let signature = try bytes(base64: signer.sign(statement.bytes, .raw))
            return [
                (old, Base64URL.encode(statement.bytes)),
                (data["by"]?["signature"]?.text, Base64URL.encode(signature)),
                (data["by"]?["key"]?.text, Base64URL.encode(signer.point)),
            ]
        }
        let words = [
            "ledgerRoot": "the statement refers to another ledger",
            "authority": "the statement names no event that gives authority",
            "policy": "the statement was made under another policy",
            "nobody": "the signer's key was not authorized then",
        ]
        try await expectFinding(
            try #require(words[member]), at: position, of: company, in: try await verify(company))
    }

    /// The forger has a user key and a device of their own, and puts both in the place of the right ones.
    @Test func `does not accept a validation by a foreign user key`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "other-user-key.example"
        let founder = try await client.found(company, by: Person.withQuestions("f", at: company))
        expectOutcome(try await client.logIn(founder.person, founder.device), "success")
        let forger = try UserKey.generate(.system)
        let position = try await world.forge("AnswersValidated", of: company) { data in
            let challenge = try Challenge(parsing: try bytes(base64url: data["challenge"]?.text))
            return [
                (data["userKey"]?.text, Base64URL.encode(forger.publicKey.bytes)),
                (data["userSignature"]?.text, Base64URL.encode(try forger.sign(validationOf: challenge).bytes)),
            ]
        }
        // All signatures are right, so only the user's own record says otherwise: in a verification of the company alone too.
        for verified in [company, nil] {
            try await expectFinding(
                "the user key is not one of the user's credentials", at: position, of: company,
                in: try await verify(verified))
        }
    }
}
