import Canonical
import Testing
@testable import Credentials

/// `blind.hex`, which the second client wrote with fixed blinds and proof scalars: what of it Swift's library can reach.
@Suite struct BlindVectorTests {
    @Test(arguments: ["answers.123", "passphrase"]) func `a blind exchange matches the recorded vector`(
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

    @Test(arguments: [(3, 0), (4, 6), (5, 0)]) func `padding completes a partial set of remaining elements to nine`(
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

    @Test func `question texts with a client's salt follow the set-up rules`() throws {
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

/// RFC 9497, appendix A.4.2: OPRF(P-384, SHA-384), VOPRF mode, as far as the library's public interface reaches.
///
/// Not reachable: DeriveKeyPair, a fixed blind and a fixed proof scalar. So the private key is taken from the appendix,
/// proofs are verified by using them, and the blinded path must end in the appendix's output whatever the blind.
@Suite struct RFC9497Tests {
    static let privateKey =
        "051646b9e6e7a71ae27c1e1d0b87b4381db6d3595eeeb1adb41579adbf992f4278f9016eafc944edaa2b43183581779d"
    static let publicKey =
        "031d689686c611991b55f1a1d8f4305ccd6cb719446f660a30db61b7aa87b46acf59b7c0d4a9077b3da21c25dd482229a0"

    struct Vector: Sendable {
        let input: String
        let blinded: String
        let evaluated: String
        let output: String
    }

    static let vectors = [
        Vector(
            input: "00",
            blinded:
                "02d338c05cbecb82de13d6700f09cb61190543a7b7e2c6cd4fca56887e564ea82653b27fdad383995ea6d02cf26d0e24d9",
            evaluated:
                "02a7bba589b3e8672aa19e8fd258de2e6aae20101c8d761246de97a6b5ee9cf105febce4327a326255a3c604f63f600ef6",
            output: "3333230886b562ffb8329a8be08fea8025755372817ec969d114d1203d026b4a622beab60220bf19078bca35a529b35c"),
        Vector(
            input: "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
            blinded:
                "02f27469e059886f221be5f2cca03d2bdc61e55221721c3b3e56fc012e36d31ae5f8dc058109591556a6dbd3a8c69c433b",
            evaluated:
                "03f16f903947035400e96b7f531a38d4a07ac89a80f89d86a1bf089c525a92c7f4733729ca30c56ce78b1ab4f7d92db8b4",
            output: "b91c70ea3d4d62ba922eb8a7d03809a441e1c3c7af915cbc2226f485213e895942cd0f8580e6d99f82221e66c40d274f"),
    ]

    private func key() throws -> OPRFKey { try OPRFKey(privateBytes: SecretBytes(try hex(Self.privateKey))) }

    @Test func `the public key of the appendix follows from its private key`() throws {
        #expect(Hex.encode(try key().publicKey.bytes) == Self.publicKey)
    }

    @Test(arguments: vectors) func `a blinded element is evaluated to the appendix's element`(_ vector: Vector) throws {
        let evaluation = try key().evaluate(blinded: try hex(vector.blinded))
        #expect(evaluation.count == 145)
        #expect(Hex.encode(evaluation[..<49]) == vector.evaluated)
    }

    @Test(arguments: vectors) func `direct evaluation gives the appendix's output`(_ vector: Vector) throws {
        let input = VOPRFInput(slot: .passphrase, bytes: try hex(vector.input))
        #expect(Hex.encode(try key().evaluator()(input).bytes) == vector.output)
    }

    @Test(arguments: vectors) func `blinding, evaluation and finalization give the same output`(
        _ vector: Vector
    ) throws {
        let key = try key()
        let input = VOPRFInput(slot: .passphrase, bytes: try hex(vector.input))
        for _ in 0..<3 {
            let blinded = try BlindedInput(input, for: key.publicKey)
            #expect(Hex.encode(try blinded.finalize(try key.evaluate(blinded: blinded.element)).bytes) == vector.output)
        }
    }
}
