import Canonical
import Testing
@testable import Credentials

@Suite struct CredentialsRecordTests {
    private static let fixtures: [Result<Fixture, any Error>] = [Fixture.answers, Fixture.both, Fixture.passphraseOnly]

    @Test func `every kind of record round-trips byte for byte and verifies`() throws {
        for (fixture, size) in zip(Self.fixtures, [1_169, 1_278, 614]) {
            let fixture = try fixture.get()
            let bytes = fixture.record.bytes
            #expect(bytes.count == size)
            let read = try CredentialsRecord(bytes: bytes)
            #expect(read == fixture.record)
            #expect(read.bytes == bytes)
            try read.verify(employeeKey: fixture.device.publicKey)
            try read.require(fixture.plan)
            try read.require(questions: fixture.new.questions)
            let texts = (0..<5).map { [UInt8](repeating: UInt8($0), count: 316) }
            let stored = try StoredCredentials(record: read, encryptedTexts: texts)
            #expect(stored.bytes.count == size + 5 * 316)
            let again = try StoredCredentials(bytes: stored.bytes)
            #expect(again == stored)
            #expect(again.record.hash == fixture.record.hash)
        }
    }

    @Test func `a record with any changed byte is refused`() throws {
        let fixture = try Fixture.both.get()
        let bytes = fixture.record.bytes
        var read = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x01
            expect(.recordInvalid) {
                let record = try CredentialsRecord(bytes: changed)
                read += 1
                #expect(record.bytes == changed)
                try record.verify(employeeKey: fixture.device.publicKey)
            }
        }
        // Most changes still read and are refused by a signature, not by form.
        #expect(read > 1_000)
    }

    @Test func `a changed question text keeps the signatures, a changed commitment breaks them`() throws {
        let fixture = try Fixture.answers.get()
        var texts = (0..<5).map { [UInt8](repeating: UInt8($0), count: 316) }
        texts[2][0] ^= 0xff
        try StoredCredentials(record: fixture.record, encryptedTexts: texts).record
            .verify(employeeKey: fixture.device.publicKey)
        var questions = fixture.new.questions
        questions.swapAt(0, 1)
        expect(.questionTextInvalid) { try fixture.record.require(questions: questions) }
    }

    @Test func `short, long and crafted bytes are refused without a trap`() throws {
        let fixture = try Fixture.both.get()
        let bytes = fixture.record.bytes
        for count in bytes.indices {
            expect(.recordInvalid) { _ = try CredentialsRecord(bytes: Array(bytes[..<count])) }
        }
        expect(.recordInvalid) { _ = try CredentialsRecord(bytes: bytes + [0]) }
        expect(.recordInvalid) { _ = try StoredCredentials(bytes: bytes) }
        let stream = SeededStream("records")
        for _ in 0..<1_000 {
            var crafted = bytes
            for _ in 0..<(1 + stream.below(4)) {
                switch stream.below(4) {
                case 0: crafted[stream.below(crafted.count)] = stream.bytes(1)[0]
                case 1: crafted.remove(at: stream.below(crafted.count))
                case 2: crafted.insert(stream.bytes(1)[0], at: stream.below(crafted.count))
                default: crafted.replaceSubrange(0..<stream.below(8), with: stream.bytes(stream.below(8)))
                }
            }
            guard crafted != bytes else { continue }
            expect(.recordInvalid) {
                try CredentialsRecord(bytes: crafted).verify(employeeKey: fixture.device.publicKey)
            }
            if let stored = try? StoredCredentials(bytes: crafted) { #expect(stored.bytes == crafted) }
            if let context = try? OpeningContext(bytes: crafted) { #expect(context.bytes == crafted) }
        }
    }

    @Test func `blind mode refuses a missing or foreign device signature`() throws {
        let fixture = try Fixture.answers.get()
        let other = try EmployeeKey.generate(.seeded("another"))
        expect(.recordInvalid) { try fixture.record.verify(employeeKey: other.publicKey) }
        expect(.recordInvalid) {
            _ = try fixture.new.record(deviceSignature: nil, employeeKey: fixture.device.publicKey)
        }
        expect(.signatureInvalid) {
            _ = try fixture.new.record(
                deviceSignature: other.sign(fixture.new).bytes, employeeKey: fixture.device.publicKey)
        }
    }

    @Test func `direct mode verifies a device signature if there is one`() throws {
        let fixture = try Fixture.passphraseOnly.get()
        #expect(fixture.record.deviceSignature == nil)
        let signed = try fixture.new.record(
            deviceSignature: fixture.device.sign(fixture.new).bytes, employeeKey: fixture.device.publicKey)
        try signed.verify(employeeKey: fixture.device.publicKey)
        let other = try EmployeeKey.generate(.seeded("another"))
        expect(.recordInvalid) { try signed.verify(employeeKey: other.publicKey) }
    }

    @Test func `a record that differs from the flow's plan is refused`() throws {
        let fixture = try Fixture.both.get()
        let other = try OPRFSeed(bytes: [UInt8](repeating: 3, count: 32)).keys()
        let changes: [(inout SetUpPlan) throws -> Void] = [
            { $0.credentialId = Randomness.system.uuid() }, { $0.userId = Randomness.system.uuid() },
            { $0.mode = .direct }, { $0.blindOnly = true }, { $0.kdf = .standard },
            { $0.oprfAnswers = other.answers.publicKey }, { $0.oprfPassphrase = other.passphrase.publicKey },
            { $0.previous = PreviousCredentials(fixture.record) },
        ]
        for change in changes {
            var plan = fixture.plan
            try change(&plan)
            let changed = plan
            expect(.recordInvalid) { try fixture.record.require(changed) }
        }
        try fixture.record.require(fixture.plan)
    }

    @Test func `question texts round-trip in 288 bytes`() throws {
        for text in ["?", String(repeating: "q", count: 256), "Où êtes-vous né ?"] {
            let question = try QuestionText(text, random: .seeded(text))
            #expect(question.plaintext.count == 288)
            #expect(try QuestionText(plaintext: question.plaintext) == question)
        }
        let good = try QuestionText("First pet?", random: .seeded("q")).plaintext
        let afterText = Array(good[..<60]) + [1] + Array(good[61...])
        let bad: [[UInt8]] = [
            [], Array(good.dropLast()), good + [0], afterText, Array(good[..<32]) + [UInt8](repeating: 0, count: 256),
            Array(good[..<32]) + [0xff] + Array(good[33...]),
        ]
        for plaintext in bad { expect(.questionTextInvalid) { _ = try QuestionText(plaintext: plaintext) } }
    }
}

@Suite struct ListedQuestionTextTests {
    private func listed(_ number: Int) throws -> Question { .listed(try #require(ListedQuestion(number: number))) }

    @Test func `a listed question is stored as version and number, as long as any text`() throws {
        let text = try QuestionText(try listed(17), random: .seeded("listed"))
        #expect(text.content == "\u{1}1/17")
        #expect(text.plaintext.count == QuestionText.plaintextByteCount)
        #expect(try QuestionText(plaintext: text.plaintext) == text)
        #expect(text.commitment == .question(salt: text.salt, text: Array("\u{1}1/17".utf8)))
    }

    @Test func `a listed text is committed to as entered and is still the listed question`() throws {
        let german = try #require(ListedQuestion(number: 17)).text(in: .german)
        let text = try QuestionText(german, random: .seeded("text"))
        #expect(text.question == (try listed(17)))
        #expect(text.commitment == .question(salt: text.salt, text: Array(german.utf8)))
        #expect(try QuestionText(plaintext: text.plaintext).question == (try listed(17)))
    }

    @Test func `a question counts once in any form and language`() throws {
        let german = try #require(ListedQuestion(number: 17)).text(in: .german)
        var five = try (1...5).map { try QuestionText(try listed($0)) }
        try QuestionText.requireFive(five)
        five[0] = try QuestionText(try listed(17))
        five[1] = try QuestionText(german.uppercased())
        expect(.questionsAlike) { try QuestionText.requireFive(five) }
        five[1] = try QuestionText("My own question")
        try QuestionText.requireFive(five)
    }

    @Test(arguments: ["1/0", "1/49", "2/1", "1/017", "01/17", "+1/17", "1/17/", "1", "", "1/", "/1", "1/x", "1 /17"])
    func `an unknown or misspelt reference is refused`(reference: String) throws {
        let salt = [UInt8](repeating: 1, count: 32), content = Array(("\u{1}" + reference).utf8)
        let plaintext = salt + content + [UInt8](repeating: 0, count: 256 - content.count)
        expect(.questionTextInvalid) { _ = try QuestionText(plaintext: plaintext) }
    }

    @Test func `a user cannot enter a reference as a text`() {
        expect(.textInvalid) { _ = try QuestionText("\u{1}1/17") }
    }
}
