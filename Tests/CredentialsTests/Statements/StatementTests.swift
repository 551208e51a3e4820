import Canonical
import Foundation
import Testing

@testable import Credentials

@Suite struct StatementTests {
    static func context(_ signer: StatementKey) throws -> StatementContext {
        let random = Randomness.seeded("statement")
        return StatementContext(
            tenant: random.uuid(), signer: signer, authority: random.bytes(32), ledgerSize: 42,
            ledgerRoot: random.bytes(32), expires: try #require(Timestamp("2026-01-02T03:04:05.000006Z")),
            nonce: random.bytes(32))
    }

    static func keyStatement(
        _ action: KeyStatement.Action, signer: StatementKey
    ) throws -> KeyStatement {
        let random = Randomness.seeded("key statement")
        return KeyStatement(
            context: try context(signer), action: action, employee: random.uuid(), userKeyHash: random.bytes(32),
            employeeKey: try EmployeeKey.generate(random).publicKey, reason: "new.device",
            presentedHash: random.bytes(32), policyHash: random.bytes(32))
    }

    static let fingerprints = ["a", "b"].map { String(repeating: $0, count: 64) }

    let admin: EmployeeKey
    let signer: StatementKey

    init() throws {
        admin = try EmployeeKey.generate(.seeded("admin"))
        signer = StatementKey(admin.publicKey)
    }

    private func all() throws -> [any Statement] {
        let context = try Self.context(signer)
        let id = Randomness.seeded("id").uuid()
        return try [
            Self.keyStatement(.authorize, signer: signer), Self.keyStatement(.refuse, signer: signer),
            Self.keyStatement(.revoke, signer: signer),
            PolicyStatement(
                context: context,
                settings: ["keys": .code("securityAdmin"), "blindOnly": .flag(true), "days": .number(30)],
                policyHash: nil),
            RoleStatement(
                context: context, action: .appoint, employee: id, role: "admin", reason: "growth",
                keys: Self.fingerprints),
            RoleStatement(context: context, action: .dismiss, employee: id, role: "admin", reason: "growth"),
            AppLinkStatement(
                context: context, action: .link, app: "demo", roles: ["ACCESS", "CREATION"], reason: "rollout"),
            SuccessionStatement(
                context: context, from: id, to: Randomness.seeded("to").uuid(),
                toKey: EmployeeKey.generate(.seeded("to")).publicKey, reason: "leaving",
                keys: Self.fingerprints),
            OperatorStatement(
                context: context, action: "AppLinked", schema: 2, subject: id,
                data: ["appId": .uuid(id), "roles": ["ACCESS"]]),
            RecoveryStatement(
                context: context, action: .open, user: id, employee: Randomness.seeded("to").uuid(),
                keyHash: [UInt8](repeating: 6, count: 32), followsHash: [UInt8](repeating: 7, count: 32),
                seconds: 259_200, reason: "opened"),
            RecoveryStatement(
                context: context, action: .confirm, user: id, employee: Randomness.seeded("to").uuid(),
                keyHash: [UInt8](repeating: 6, count: 32), followsHash: [UInt8](repeating: 7, count: 32),
                reason: "confirmed"),
            RecoveryStatement(
                context: context, action: .cancel, user: id, employee: Randomness.seeded("to").uuid(),
                keyHash: [UInt8](repeating: 6, count: 32), followsHash: [UInt8](repeating: 7, count: 32),
                reason: "mistake"),
            InvitationStatement(
                context: context, action: .issue, subject: [UInt8](repeating: 8, count: 32), seconds: 604_800,
                reason: "invited"),
            InvitationStatement(
                context: context, action: .revoke, subject: [UInt8](repeating: 8, count: 32), invitation: id,
                reason: "mistake"),
            MPinStatement(
                context: context, action: .verify, subject: [UInt8](repeating: 9, count: 32), identity: id,
                reason: "known"),
            MPinStatement(
                context: context, action: .link, subject: [UInt8](repeating: 9, count: 32), identity: id,
                employee: Randomness.seeded("to").uuid(), reason: "linked"),
            MPinStatement(
                context: context, action: .revoke, subject: [UInt8](repeating: 9, count: 32), identity: id,
                reason: "lost"),
            MPinStatement(
                context: context, action: .activate, subject: [UInt8](repeating: 9, count: 32), reason: "known"),
            EmployeeStatement(
                context: context, action: .endSessions, employee: id,
                registeredHash: [UInt8](repeating: 5, count: 32), reason: "lost"),
            ReclaimStatement(context: context, user: id, reason: "left"),
            EmailChangeStatement(
                context: context, action: .change, employee: id, subject: [UInt8](repeating: 8, count: 32),
                reason: "changed"),
            ReturnStatement(
                context: context, user: id, employee: Randomness.seeded("to").uuid(),
                keyHash: [UInt8](repeating: 6, count: 32), followsHash: [UInt8](repeating: 7, count: 32),
                reason: "stolen"),
        ]
    }

    /// The signed members of ``all()`` beside those of the context, which the golden statement has.
    private func signedMembers() throws -> [[String: JSONValue]] {
        let id = JSONValue.uuid(Randomness.seeded("id").uuid()), to = JSONValue.uuid(Randomness.seeded("to").uuid())
        func bytes(_ byte: UInt8) -> JSONValue { .bytes([UInt8](repeating: byte, count: 32)) }
        let random = Randomness.seeded("key statement")
        let account = random.uuid(), userKey = random.bytes(32)
        let device = try EmployeeKey.generate(random).publicKey
        let presented = random.bytes(32), policy = random.bytes(32)
        func key(_ action: JSONValue) -> [String: JSONValue] {
            [
                "action": action, "employee": .uuid(account), "employeeKey": .bytes(device.bytes),
                "policy": .bytes(policy), "presented": .bytes(presented), "reason": "new.device",
                "userKey": .bytes(userKey),
            ]
        }
        func recovery(_ action: JSONValue, _ reason: JSONValue) -> [String: JSONValue] {
            ["action": action, "user": id, "employee": to, "key": bytes(6), "follows": bytes(7), "reason": reason]
        }
        let fingerprints = JSONValue.array(Self.fingerprints.map { .string($0) })
        return try [
            key("authorize"), key("refuse"), key("revoke"),
            ["settings": ["keys": "securityAdmin", "blindOnly": true, "days": 30]],
            ["action": "appoint", "employee": id, "role": "admin", "reason": "growth", "keys": fingerprints],
            ["action": "dismiss", "employee": id, "role": "admin", "reason": "growth"],
            ["action": "link", "app": "demo", "roles": ["ACCESS", "CREATION"], "reason": "rollout"],
            [
                "from": id, "to": to, "toKey": .bytes(EmployeeKey.generate(.seeded("to")).publicKey.bytes),
                "reason": "leaving", "keys": fingerprints,
            ],
            ["action": "AppLinked", "schema": 2, "subject": id, "data": ["appId": id, "roles": ["ACCESS"]]],
            recovery("open", "opened").merging(["seconds": 259_200]) { $1 }, recovery("confirm", "confirmed"),
            recovery("cancel", "mistake"),
            ["action": "issue", "subject": bytes(8), "seconds": 604_800, "reason": "invited"],
            ["action": "revoke", "subject": bytes(8), "invitation": id, "reason": "mistake"],
            ["action": "verify", "subject": bytes(9), "identity": id, "reason": "known"],
            ["action": "link", "subject": bytes(9), "identity": id, "employee": to, "reason": "linked"],
            ["action": "revoke", "subject": bytes(9), "identity": id, "reason": "lost"],
            ["action": "activate", "subject": bytes(9), "reason": "known"],
            ["action": "endSessions", "employee": id, "registered": bytes(5), "reason": "lost"],
            ["user": id, "reason": "left"],
            ["action": "change", "employee": id, "subject": bytes(8), "reason": "changed"],
            ["action": "cancel", "user": id, "employee": to, "key": bytes(6), "follows": bytes(7), "reason": "stolen"],
        ]
    }

    private func roundTrip<S: Statement>(_ statement: S) throws {
        let bytes = statement.bytes
        #expect(bytes.starts(with: statement.tag.line))
        #expect(try S(parsing: bytes, expecting: statement.tag) == statement)
        let (signed, signature) = try admin.sign(statement: bytes, as: S.self, tag: statement.tag)
        #expect(signed == statement)
        try statement.verify(signature)
        #expect(try statement.verify(proof: signature.bytes) == .signature(signature))
        let stranger = try EmployeeKey.generate()
        expect(.signatureInvalid) {
            try statement.verify(stranger.sign(statement: bytes, as: S.self, tag: statement.tag).1)
        }
    }

    /// Unknown, missing, renamed, null and reordered members, and every spelling that is not canonical.
    private func strict<S: Statement>(_ statement: S) throws {
        let line = statement.tag.line
        guard case .object(let members) = try CanonicalJSON.parse(Array(statement.bytes.dropFirst(line.count))) else {
            Issue.record("no object")
            return
        }
        func refused(_ bytes: [UInt8], _ what: String) {
            #expect(throws: CredentialsError.self, "\(what)") { try S(parsing: bytes, expecting: statement.tag) }
        }
        for name in members.keys where name != "policy" {
            var changed = members
            let value = changed.removeValue(forKey: name)
            refused(line + JSONValue.object(changed).canonicalBytes(), "without \(name)")
            changed[name + "x"] = value
            refused(line + JSONValue.object(changed).canonicalBytes(), "with \(name)x")
        }
        for name in members.keys {
            for wrong in [JSONValue.null, .bool(false), .string(""), .string("ä b"), .array([.null]), .integer(-1)]
            where members[name] != wrong {
                var changed = members
                changed[name] = wrong
                refused(line + JSONValue.object(changed).canonicalBytes(), "\(name) = \(wrong)")
            }
        }
        refused(statement.bytes + [0x0a], "a trailing newline")
        refused(line + [0x20] + statement.bytes.dropFirst(line.count), "white space")
        refused(Array(statement.bytes.dropFirst(line.count)), "no tag")
        refused(line + line + statement.bytes.dropFirst(line.count), "two tags")
        refused(statement.bytes + [UInt8](repeating: 0x20, count: 5_000), "too long")
    }

    private func crafted<S: Statement>(_ statement: S) {
        let stream = SeededStream(statement.tag.rawValue)
        for _ in 0..<300 {
            var bytes = statement.bytes
            bytes[stream.below(bytes.count)] = stream.bytes(1)[0]
            guard bytes != statement.bytes, let read = try? S(parsing: bytes, expecting: statement.tag) else {
                continue
            }
            #expect(read != statement)
            #expect(read.bytes == bytes)
        }
    }

    @Test func `every statement round-trips, and its signature verifies`() throws {
        for statement in try all() { try roundTrip(statement) }
    }

    @Test func `every statement signs these members and those of its context`() throws {
        let statements = try all(), expected = try signedMembers()
        #expect(statements.count == expected.count)
        for (statement, members) in zip(statements, expected) {
            #expect(statement.members == members)
            let context = statement.context
            let whole = members.merging([
                "tenant": .uuid(context.tenant), "signer": .bytes(signer.bytes), "authority": .bytes(context.authority),
                "ledgerSize": 42, "ledgerRoot": .bytes(context.ledgerRoot), "expires": "2026-01-02T03:04:05.000006Z",
                "nonce": .bytes(context.nonce),
            ]) { $1 }
            #expect(statement.bytes == statement.tag.line + JSONValue.object(whole).canonicalBytes())
        }
    }

    @Test func `an appointment names keys, and a dismissal none`() throws {
        let context = try Self.context(signer)
        for (action, keys) in [(RoleStatement.Action.appoint, nil), (.dismiss, Self.fingerprints)] {
            let statement = RoleStatement(
                context: context, action: action, employee: UUID(), role: "admin", reason: "r", keys: keys)
            expect(.statementInvalid, field: "keys") { try statement.check() }
            expect(.statementInvalid, field: "keys") {
                _ = try RoleStatement(parsing: statement.bytes, expecting: .role)
            }
        }
    }

    @Test func `a statement that cannot be signed is still written, to be compared`() throws {
        let statement = EmployeeStatement(
            context: try Self.context(signer), action: .approve, employee: UUID(), registeredHash: [],
            reason: "two words")
        #expect(statement.members["registered"] == "" && statement.members["reason"] == "two words")
        expect(.statementInvalid, field: "registered") { try statement.check() }
    }

    @Test func `every statement is read strictly`() throws {
        for statement in try all() {
            try strict(statement)
            crafted(statement)
        }
    }

    @Test func `a signer refuses a tag it did not ask for`() throws {
        let revocation = try Self.keyStatement(.revoke, signer: signer)
        expect(.unexpectedTag) {
            _ = try admin.sign(statement: revocation.bytes, as: KeyStatement.self, tag: .keyAuthorization)
        }
        expect(.unexpectedTag) {
            _ = try admin.sign(statement: revocation.bytes, as: RoleStatement.self, tag: .keyRevocation)
        }
        let challenge = try Challenge(ChallengeTests.fields(admin.publicKey))
        expect(.unexpectedTag) {
            _ = try admin.sign(statement: challenge.bytes, as: KeyStatement.self, tag: .keyAuthorization)
        }
        expect(.unexpectedTag) { _ = try Challenge(parsing: revocation.bytes) }
    }

    @Test func `an action under another action's tag is refused`() throws {
        let authorization = try Self.keyStatement(.authorize, signer: signer)
        let disguised =
            SignatureTag.keyRefusal.line
            + authorization.bytes.dropFirst(SignatureTag.keyAuthorization.line.count)
        expect(.statementInvalid, field: "action") {
            _ = try KeyStatement(parsing: disguised, expecting: .keyRefusal)
        }
    }

    @Test func `a key cannot authorize itself, and a person cannot succeed themselves`() throws {
        var own = try Self.keyStatement(.authorize, signer: signer)
        own.employeeKey = admin.publicKey
        let selfMade = own
        expect(.statementInvalid, field: "signer") { try selfMade.check() }
        expect(.statementInvalid) {
            _ = try admin.sign(statement: selfMade.bytes, as: KeyStatement.self, tag: .keyAuthorization)
        }
        own.action = .revoke
        try own.check()
        let id = UUID()
        let succession = SuccessionStatement(
            context: try Self.context(signer), from: id, to: id,
            toKey: try EmployeeKey.generate().publicKey, reason: "x", keys: Self.fingerprints)
        expect(.statementInvalid, field: "to") { try succession.check() }
    }

    @Test func `reasons and names are codes and cannot carry personal text`() throws {
        var statement = try Self.keyStatement(.authorize, signer: signer)
        for reason in ["", "two words", "Zoë", "a@b", String(repeating: "a", count: 65)] {
            statement.reason = reason
            let bad = statement
            expect(.statementInvalid, field: "reason") { try bad.check() }
        }
        statement.reason = String(repeating: "a", count: 64)
        try statement.check()
    }

    @Test func `an invitation is issued for a time and revoked by its id`() throws {
        let context = try Self.context(signer)
        let subject = [UInt8](repeating: 8, count: 32), id = Randomness.seeded("id").uuid()
        for seconds: Int64? in [nil, 0, -1, InvitationStatement.maximumSeconds + 1] {
            let issue = InvitationStatement(
                context: context, action: .issue, subject: subject, seconds: seconds, reason: "invited")
            expect(.statementInvalid, field: "seconds") { try issue.check() }
        }
        var revocation = InvitationStatement(
            context: context, action: .revoke, subject: subject, invitation: nil, reason: "mistake")
        expect(.statementInvalid, field: "invitation") { try revocation.check() }
        revocation.invitation = id
        try revocation.check()
        revocation.seconds = 1
        expect(.statementInvalid, field: "seconds") { try revocation.check() }
    }

    @Test func `a code names no identity, and only a link names an account`() throws {
        let context = try Self.context(signer), id = Randomness.seeded("id").uuid()
        for action in MPinStatement.Action.allCases {
            var statement = MPinStatement(
                context: context, action: action, subject: [UInt8](repeating: 9, count: 32),
                identity: action == .activate ? nil : id, employee: action == .link ? id : nil, reason: "r")
            try statement.check()
            statement.employee = statement.employee == nil ? id : nil
            expect(.statementInvalid, field: "employee") { try statement.check() }
            statement.identity = statement.identity == nil ? id : nil
            expect(.statementInvalid, field: "identity") { try statement.check() }
        }
    }

    @Test func `the subject of an invitation depends on every text, and on the salt`() throws {
        let salt = [UInt8](repeating: 1, count: 32), other = [UInt8](repeating: 2, count: 32)
        let subjects = try [
            (salt, "a.example", "1", nil), (other, "a.example", "1", nil), (salt, "b.example", "1", nil),
            (salt, "a.example", "2", nil), (salt, "a.example", "1", "z@a.example"),
        ].map { salt, company, employee, email in
            try Commitment.invitation(salt: salt, companyName: company, companyEmployeeId: employee, email: email)
        }
        #expect(Set(subjects).count == subjects.count)
        #expect(
            try Commitment.invitation(
                salt: salt, companyName: " A.Example", companyEmployeeId: "1 ", email: nil) == subjects[0])
    }

    @Test func `an app's roles are sorted, and an unlinked app has none`() throws {
        let context = try Self.context(signer)
        for (action, roles) in [
            (AppLinkStatement.Action.link, ["B", "A"]), (.link, ["A", "A"]), (.unlink, ["A"]), (.link, [""]),
        ] {
            let statement = AppLinkStatement(context: context, action: action, app: "a", roles: roles, reason: "r")
            expect(.statementInvalid, field: "roles") { try statement.check() }
        }
    }

    @Test func `an expired statement is refused`() throws {
        let context = try Self.context(signer)
        try context.checkExpiry(at: context.expires)
        expect(.expired) { try context.checkExpiry(at: context.expires.adding(.microseconds(1))) }
    }

    @Test func `every tag is unique`() {
        let tags: [SignatureTag] =
            [.challenge, .validation, .credentialsSet, .credentialsChange] + KeyStatement.tags + PolicyStatement.tags
            + RoleStatement.tags + AppLinkStatement.tags + SuccessionStatement.tags + RecoveryStatement.tags
            + InvitationStatement.tags + OperatorStatement.tags + MPinStatement.tags
        #expect(Set(tags).count == 21)
        // No tag line begins with another, so bytes under one are never bytes under two.
        for one in tags { #expect(tags.filter { $0.line.starts(with: one.line) } == [one]) }
    }
}
