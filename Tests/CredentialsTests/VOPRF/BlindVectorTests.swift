import Testing

@testable import Credentials

/// `blind.hex`, which the second client wrote with fixed blinds and proof scalars: what of it Swift's library can reach.
@Suite struct BlindVectorTests {
    @Test(arguments: ["answers.123", "passphrase"]) func `an exchange of blind mode is as it was written down`(
        name: String
    ) throws {
        let vectors = try Vectors.read("blind.hex")
        let record = try Vectors.read("record.hex")
        let byte = try #require(vectors[name + ".slot"]?.first)
        let slot = try #require(CopySlot(byte: byte))
        let element = try BlindedElement(slot: slot, bytes: try #require(vectors[name + ".element"]))
        let written = try #require(vectors[name + ".evaluation"])
        let keys = try OPRFSeed(bytes: try #require(record["seed"])).keys()
        let evaluation = try keys.evaluate(element)
        // The proof is drawn anew each time; the element is not.
        #expect(evaluation.count == written.count && evaluation[..<49] == written[..<49])
        #expect(
            EvaluationGuard.accepts(written, blinded: element.bytes, publicKey: keys.key(for: slot).publicKey))
        let input = VOPRFInput(slot: slot, bytes: try #require(record[name + ".input"]))
        #expect(try keys.key(for: slot).evaluator()(input).bytes == vectors[name + ".output"])
    }

    @Test func `a subject commits to names in their canonical form`() throws {
        let vectors = try Vectors.read("blind.hex")
        let commitment = try Commitment.subject(
            salt: try #require(vectors["subject.salt"]),
            companyName: String(decoding: try #require(vectors["subject.company"]), as: UTF8.self),
            companyEmployeeId: String(decoding: try #require(vectors["subject.employee"]), as: UTF8.self))
        #expect(commitment.bytes == vectors["subject"])
        let bytes = try Vectors.read("record.hex")["context"]
        let context = try OpeningContext(bytes: try #require(bytes))
        #expect(context.hash == vectors["context.hash"])
        expect(.incomplete) { _ = try Commitment.subject(salt: [], companyName: " ", companyEmployeeId: "7") }
        expect(.textInvalid) { _ = try Commitment.subject(salt: [], companyName: "a\0", companyEmployeeId: "7") }
    }

    @Test func `a blinded element is one compressed point and nothing else`() throws {
        let written = try Vectors.read("blind.hex")["passphrase.element"]
        let good = try #require(written)
        #expect(try BlindedElement(slot: .passphrase, bytes: good).bytes == good)
        let elements: [[UInt8]] = [
            [], [0], Array(good.dropLast()), good + [0], [UInt8](repeating: 0, count: 49), [4] + good.dropFirst(),
            [2] + [UInt8](repeating: 0xff, count: 48),
        ]
        for wrong in elements { expect(.elementInvalid) { _ = try BlindedElement(slot: .passphrase, bytes: wrong) } }
    }

    @Test(arguments: [(3, 0), (4, 6), (5, 0)]) func `padding fills up the other nine and hides how many there are`(
        given: Int, padded: Int
    ) throws {
        let fixture = try Fixture.answers.get()
        let opening = try BlindOpening(
            context: fixture.context, answers: try fixture.supplied(right: Array(0..<given)))
        let others = try opening.remaining()
        let padding = try opening.padding()
        #expect(padding.count == padded)
        let slots = try [opening.first().slot] + others.map(\.slot) + padding.map(\.slot)
        #expect(Set(slots).count == slots.count)
        #expect(given == 3 ? slots.count == 1 : slots.count == 10)
        #expect(Set(padding.map(\.bytes)).count == padding.count)
    }

    @Test func `question texts with a client's salt are held to the rules of a set-up`() throws {
        let salt = [UInt8](repeating: 3, count: 32)
        let texts = ["a?", "b?", "c?", "d?", "e?"]
        let five = try texts.map { try QuestionText($0, salt: salt) }
        try QuestionText.requireFive(five)
        #expect(five[0].commitment == .question(salt: salt, text: Array("a?".utf8)))
        #expect(try QuestionText(plaintext: five[0].plaintext) == five[0])
        expect(.fiveQuestionsRequired) { try QuestionText.requireFive(Array(five.dropLast())) }
        expect(.questionsAlike) {
            try QuestionText.requireFive(Array(five.dropLast()) + [try QuestionText(" A? ", salt: salt)])
        }
        expect(.incomplete) {
            try QuestionText.requireFive(Array(five.dropLast()) + [try QuestionText("  ", salt: salt)])
        }
        for count in [0, 31, 33] {
            let wrong = [UInt8](repeating: 3, count: count)
            expect(.questionTextInvalid) { _ = try QuestionText("a?", salt: wrong) }
        }
        expect(.textInvalid) { _ = try QuestionText("a\0?", salt: salt) }
        expect(.tooLong) { _ = try QuestionText(String(repeating: "q", count: 257), salt: salt) }
    }
}
