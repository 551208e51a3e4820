import Testing

@testable import Credentials

@Suite struct DirectOpeningTests {
    @Test(arguments: AnswerSubset.all) func `any three right answers open, beside two wrong ones and alone`(
        _ subset: AnswerSubset
    ) throws {
        let fixture = try Fixture.answers.get()
        let wrong = (0..<5).filter { !subset.positions.contains($0) }
        let alone = try fixture.sealed.open(answers: fixture.supplied(right: subset.positions), seed: fixture.seed)
        #expect(alone.publicKey == fixture.context.userPublicKey)
        let mixed = try fixture.sealed.open(
            answers: fixture.supplied(right: subset.positions, wrong: wrong), seed: fixture.seed)
        #expect(mixed.publicKey == fixture.context.userPublicKey)
    }

    @Test(arguments: [[0, 1], [0, 4], [1, 3], [2, 4]]) func `two right answers never open`(_ right: [Int]) throws {
        let fixture = try Fixture.answers.get()
        let wrong = (0..<5).filter { !right.contains($0) }
        expect(.cannotOpen) {
            _ = try fixture.sealed.open(
                answers: fixture.supplied(right: right, wrong: wrong), seed: fixture.seed)
        }
    }

    @Test func `all five right answers open at the first copy`() throws {
        let fixture = try Fixture.answers.get()
        // Only the first copy is left intact, so that no other could have opened.
        let crippled = try SealedCredentials(
            context: fixture.context,
            answerCopies: [fixture.sealed.answerCopies[0]]
                + [[UInt8]](
                    repeating: [UInt8](repeating: 0, count: 60), count: 9),
            passphraseCopy: nil)
        #expect(
            try crippled.open(answers: fixture.supplied(right: [0, 1, 2, 3, 4]), seed: fixture.seed).publicKey
                == fixture.context.userPublicKey)
    }

    @Test func `case, white space and Unicode form of an answer do not matter`() throws {
        let fixture = try Fixture.answers.get()
        let ids = fixture.context.questionIds
        let answers = try SuppliedAnswers(
            [(ids[1], " zu\u{308}RICH "), (ids[0], "REX\u{a0}\t the   dog"), (ids[4], "S\u{30C}KODA \u{FF11}05")],
            questionIds: ids)
        #expect(
            try fixture.sealed.open(answers: answers, seed: fixture.seed).publicKey
                == fixture.context.userPublicKey)
    }

    @Test func `the passphrase opens, and nothing like it does`() throws {
        let fixture = try Fixture.passphraseOnly.get()
        let right = try Passphrase(supplied: Fixture.passphrase)
        #expect(
            try fixture.sealed.open(passphrase: right, seed: fixture.seed).publicKey
                == fixture.context.userPublicKey)
        for wrong in ["correct horse battery staple", "Correct horse battery  staple", "Correct horse battery stapl"] {
            expect(.cannotOpen) {
                _ = try fixture.sealed.open(passphrase: Passphrase(supplied: wrong), seed: fixture.seed)
            }
        }
    }

    @Test func `with both allowed, answers and passphrase open the same key`() throws {
        let fixture = try Fixture.both.get()
        let byAnswers = try fixture.sealed.open(answers: fixture.supplied(right: [0, 1, 2]), seed: fixture.seed)
        let byPassphrase = try fixture.sealed.open(
            passphrase: Passphrase(supplied: Fixture.passphrase), seed: fixture.seed)
        #expect(byAnswers.secret == byPassphrase.secret)
    }

    @Test func `what is not stored is not evaluated`() throws {
        let questionsOnly = try Fixture.answers.get()
        let passphraseOnly = try Fixture.passphraseOnly.get()
        expect(.notStored) {
            _ = try questionsOnly.sealed.open(
                passphrase: Passphrase(supplied: Fixture.passphrase), seed: questionsOnly.seed)
        }
        expect(.notStored) {
            _ = try passphraseOnly.sealed.open(
                answers: passphraseOnly.supplied(right: [0, 1, 2]), seed: passphraseOnly.seed)
        }
        #expect(passphraseOnly.sealed.answerCopies.isEmpty)
        #expect(questionsOnly.sealed.passphraseCopy == nil)
    }

    @Test func `the seed of another credential is a fault and no wrong answer`() throws {
        let fixture = try Fixture.answers.get()
        let other = try OPRFSeed(bytes: [UInt8](repeating: 9, count: 32))
        expect(.secretInvalid) {
            _ = try fixture.sealed.open(answers: fixture.supplied(right: [0, 1, 2]), seed: other)
        }
    }
}
