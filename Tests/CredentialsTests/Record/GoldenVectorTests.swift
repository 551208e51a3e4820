import Canonical
import Crypto
import Testing

@testable import Credentials

/// Bytes that must never change, made once with fixed randomness; `docs/credentials.md` explains them to strangers.
@Suite struct GoldenVectorTests {
    private static let texts = (0..<5).map { [UInt8](repeating: UInt8($0 + 1), count: 316) }

    private static func values(_ fixture: Fixture) throws -> [(String, [UInt8])] {
        let context = fixture.context
        let slot = CopySlot.answers(AnswerSubset.all[0])
        let input = try fixture.supplied(right: [0, 1, 2]).inputs(context)[0]
        let output = try fixture.seed.keys().answers.evaluator()(input)
        let passphrase = VOPRFInput(
            credentialId: context.credentialId, passphrase: Array(Fixture.passphrase.utf8))
        let passphraseOutput = try fixture.seed.keys().passphrase.evaluator()(passphrase)
        return [
            ("seed", fixture.seed.bytes), ("context", context.bytes),
            ("answers.123.input", input.bytes), ("answers.123.output", output.bytes),
            ("answers.123.key", try SealedCopy.sealingKey(output, slot: slot, context: context).bytes),
            ("answers.123.aad", context.associatedData(for: slot)),
            ("answers.123.copy", fixture.sealed.answerCopies[0]),
            ("passphrase.input", passphrase.bytes), ("passphrase.output", passphraseOutput.bytes),
            ("passphrase.key", try SealedCopy.sealingKey(passphraseOutput, slot: .passphrase, context: context).bytes),
            ("passphrase.aad", context.associatedData(for: .passphrase)),
            ("passphrase.copy", fixture.sealed.passphraseCopy ?? []),
            ("user.private", fixture.new.userKey.secret.bytes), ("device.private", fixture.device.privateBytes),
            ("signed", fixture.record.content.signedMessage),
            ("question.1.plaintext", fixture.new.questions[0].plaintext),
            ("question.1.commitment", fixture.new.questions[0].commitment.bytes),
        ]
    }

    @Test(.enabled(if: Vectors.isWriting, "set TENURE_WRITE_VECTORS to write them")) func `write missing vectors`()
        throws
    {
        let fixture = try Fixture.both.get()
        let record = fixture.record
        try Vectors.write(
            "record.hex", comment: "Credentials with five answers and a passphrase, both opening, made in blind mode.",
            try Self.values(fixture) + [
                ("record", record.bytes), ("record.hash", record.hash),
                ("stored", try StoredCredentials(record: record, encryptedTexts: Self.texts).bytes),
            ])
        let keys = try OPRFSeed(bytes: Array(0..<32)).keys()
        let app = try AppAuthorityKey(appSecret: Array(0..<32), appSalt: Array(100..<116))
        let decoy = try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32))
            .decoy(company: Array("acme".utf8), employee: Array("bob".utf8))
        try Vectors.write(
            "keys.hex", comment: "Derived keys: seed 00…1f; secret 00…1f and salt 64…73; decoy key 0d…0d, acme, bob.",
            [
                ("oprf.answers.public", keys.answers.publicKey.bytes),
                ("oprf.passphrase.public", keys.passphrase.publicKey.bytes),
                ("app.authority.public", app.publicKey.bytes), ("decoy.context", decoy.sealed.context.bytes),
                ("decoy.seed", decoy.seed.bytes), ("decoy.copies", Array(decoy.sealed.answerCopies.joined())),
                (
                    "decoy.questions",
                    Array(decoy.questions.map { $0.question.text(in: .english) }.joined(separator: "\n").utf8)
                ),
            ])
        let random = Randomness.seeded("golden challenge")
        let device = try EmployeeKey(privateBytes: fixture.device.privateBytes)
        let challenge = try Challenge(ChallengeTests.fields(device.publicKey))
        let statement = try StatementTests.keyStatement(
            .authorize, signer: StatementKey(EmployeeKey.generate(random).publicKey))
        try Vectors.write(
            "signing.hex", comment: "A challenge, its two signatures by the keys of record.hex, and a statement.",
            [
                ("challenge", challenge.bytes), ("device.signature", try device.sign(challenge).bytes),
                ("user.signature", try fixture.new.userKey.sign(validationOf: challenge).bytes),
                ("statement", statement.bytes),
            ])
    }

    @Test func `the same randomness yields the same bytes`() throws {
        let golden = try Vectors.read("record.hex")
        for (name, value) in try Self.values(try Fixture.both.get()) { #expect(golden[name] == value, "\(name)") }
    }

    @Test func `the golden record is read, verified and opened`() throws {
        let golden = try Vectors.read("record.hex")
        let bytes = try #require(golden["record"])
        let record = try CredentialsRecord(bytes: bytes)
        let device = try EmployeeKey(privateBytes: try #require(golden["device.private"]))
        try record.verify(employeeKey: device.publicKey)
        #expect(record.bytes == bytes)
        #expect(record.hash == golden["record.hash"])
        let stored = try StoredCredentials(bytes: try #require(golden["stored"]))
        #expect(stored.record == record)
        #expect(stored.encryptedTexts == Self.texts)
        let seed = try OPRFSeed(bytes: try #require(golden["seed"]))
        let key = try record.sealed.open(passphrase: Passphrase(supplied: Fixture.passphrase), seed: seed)
        #expect(key.secret.bytes == golden["user.private"])
    }

    @Test func `golden challenge and signatures verify`() throws {
        let golden = try Vectors.read("signing.hex")
        let record = try CredentialsRecord(bytes: try #require(try Vectors.read("record.hex")["record"]))
        let challenge = try Challenge(parsing: try #require(golden["challenge"]))
        try ValidatedChallenge(
            challenge: challenge, deviceSignature: try DeviceEvidence(bytes: try #require(golden["device.signature"])),
            userSignature: try Signature(raw: try #require(golden["user.signature"]))
        ).verify(userKey: record.sealed.context.userPublicKey)
        let statement = try #require(golden["statement"])
        #expect(try KeyStatement(parsing: statement, expecting: .keyAuthorization).bytes == statement)
    }

    @Test func `golden challenge of an address, its commitment and its signature verify`() throws {
        let golden = try Vectors.read("address.hex")
        let bytes = try #require(golden["challenge"])
        let challenge = try AddressChallenge(parsing: bytes)
        #expect(try AddressChallenge(challenge.fields).bytes == bytes)
        let subject = Commitment.address(
            salt: try #require(golden["salt"]), try #require(golden["address"]))
        #expect(subject.bytes == golden["subject"] && challenge.fields.subject == subject)
        _ = try challenge.verifyKeyProof(try #require(golden["device.signature"]))
        // Neither form is read as the other.
        #expect(throws: CredentialsError.self) { try Challenge(parsing: bytes) }
        #expect(throws: CredentialsError.self) { try Challenge(kept: bytes) }
        let first = try #require(try Vectors.read("signing.hex")["challenge"])
        #expect(throws: CredentialsError.self) { try AddressChallenge(parsing: first) }
    }

    @Test func `the decoy matches the golden one`() throws {
        let golden = try Vectors.read("keys.hex")
        let decoy = try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32))
            .decoy(company: Array("acme".utf8), employee: Array("bob".utf8))
        #expect(golden["decoy.context"] == decoy.sealed.context.bytes)
        #expect(golden["decoy.seed"] == decoy.seed.bytes)
        #expect(golden["decoy.copies"] == Array(decoy.sealed.answerCopies.joined()))
        #expect(
            golden["decoy.questions"]
                == Array(decoy.questions.map { $0.question.text(in: .english) }.joined(separator: "\n").utf8))
    }
    @Test func `the decoy's public keys match the golden ones, for answers and passphrase`() throws {
        let key = try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32))
        var hash = SHA256()
        for index in 0..<64 {
            let decoy = try key.decoy(company: Array("acme".utf8), employee: Array("employee \(index)".utf8), parts: [])
            hash.update(data: decoy.publicKeys.bytes)
        }
        #expect(
            Hex.encode(Array(hash.finalize())) == "77258eec09af2d31e95cf1b438878674fa3cb5e22d2fdc82292b750111e3c015")
    }
}
