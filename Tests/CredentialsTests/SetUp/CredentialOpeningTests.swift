import Testing
@testable import Credentials

@Suite struct DirectOpeningTests {
    @Test(arguments: AnswerSubset.all) func `any three right answers open, alone or beside two wrong ones`(
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

    @Test func `only the exact passphrase opens`() throws {
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

    @Test func `a copy that is not stored is not evaluated`() throws {
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

    @Test func `the seed of another credential is an internal error, not a wrong answer`() throws {
        let fixture = try Fixture.answers.get()
        let other = try OPRFSeed(bytes: [UInt8](repeating: 9, count: 32))
        expect(.secretInvalid) {
            _ = try fixture.sealed.open(answers: fixture.supplied(right: [0, 1, 2]), seed: other)
        }
    }
}

@Suite struct BlindModeTests {
    /// The service's half, as its endpoint does it.
    private func evaluate(_ element: [UInt8], _ slot: CopySlot, _ fixture: Fixture) throws -> [UInt8] {
        try fixture.seed.keys().key(for: slot).evaluate(blinded: element)
    }

    @Test func `a record of a blind set-up opens with direct answers`() throws {
        let fixture = try Fixture.both.get()
        let setUp = try CredentialSetUp(
            plan: fixture.plan, questions: Fixture.questions, passphrase: Fixture.passphrase,
            questionsWithPassphrase: true)
        let blinded = try setUp.blinded()
        #expect(blinded.elements.count == 11)
        #expect(blinded.elements.map(\.slot.byte) == Array(0...9) + [255])
        let evaluations = try blinded.elements.map { try evaluate($0.element, $0.slot, fixture) }
        let new = try blinded.complete(evaluations: evaluations)
        let record = try new.record(
            deviceSignature: fixture.device.sign(new).bytes, employeeKey: fixture.device.publicKey)
        try record.verify(employeeKey: fixture.device.publicKey)
        try record.require(fixture.plan)
        let ids = record.sealed.context.questionIds
        let answers = try SuppliedAnswers(
            [2, 3, 4].map { (ids[$0], Fixture.questions[$0].answer) }, questionIds: ids)
        #expect(
            try record.sealed.open(answers: answers, seed: fixture.seed).publicKey == new.userKey.publicKey)
        #expect(
            try record.sealed.open(passphrase: Passphrase(supplied: Fixture.passphrase), seed: fixture.seed).publicKey
                == new.userKey.publicKey)
    }

    @Test func `a set-up refuses missing, swapped or foreign evaluations`() throws {
        let fixture = try Fixture.both.get()
        let blinded = try CredentialSetUp(plan: fixture.plan, questions: Fixture.questions, passphrase: nil)
            .blinded()
        let right = try blinded.elements.map { try evaluate($0.element, $0.slot, fixture) }
        expect(.evaluationInvalid) { _ = try blinded.complete(evaluations: Array(right.dropLast())) }
        expect(.evaluationInvalid) { _ = try blinded.complete(evaluations: right + [right[0]]) }
        var exchanged = right
        exchanged.swapAt(0, 1)
        expect(.evaluationInvalid) { _ = try blinded.complete(evaluations: exchanged) }
        let wrongKey = try blinded.elements.map { try evaluate($0.element, .passphrase, fixture) }
        expect(.evaluationInvalid) { _ = try blinded.complete(evaluations: wrongKey) }
    }

    @Test func `right answers open with the first element alone`() throws {
        let fixture = try Fixture.answers.get()
        let opening = try BlindOpening(
            context: fixture.context, answers: fixture.supplied(right: [0, 1, 2, 3, 4]))
        let first = try opening.first()
        #expect(first.slot == .answers(AnswerSubset.all[0]))
        let key = try first.open(
            evaluation: evaluate(first.element, first.slot, fixture), copy: fixture.sealed.copy(in: first.slot))
        #expect(key.publicKey == fixture.context.userPublicKey)
    }

    @Test func `three right answers of five open with exactly one of the nine other elements`() throws {
        let fixture = try Fixture.answers.get()
        let opening = try BlindOpening(
            context: fixture.context, answers: fixture.supplied(right: [1, 3, 4], wrong: [0, 2]))
        let requests = try [opening.first()] + opening.remaining()
        #expect(requests.count == 10)
        var opened: [CopySlot] = []
        for request in requests {
            do {
                _ = try request.open(
                    evaluation: evaluate(request.element, request.slot, fixture),
                    copy: fixture.sealed.copy(in: request.slot))
                opened.append(request.slot)
            } catch let error as CredentialsError {
                #expect(error.code == .cannotOpen)
            }
        }
        #expect(opened == [.answers(AnswerSubset.all[8])])
    }

    @Test func `a passphrase opens with its single element`() throws {
        let fixture = try Fixture.both.get()
        let opening = try BlindOpening(
            context: fixture.context, passphrase: Passphrase(supplied: Fixture.passphrase))
        #expect(try opening.remaining().isEmpty)
        let request = try opening.first()
        let key = try request.open(
            evaluation: evaluate(request.element, .passphrase, fixture),
            copy: fixture.sealed.copy(in: .passphrase))
        #expect(key.publicKey == fixture.context.userPublicKey)
        expect(.cannotOpen) {
            _ = try request.open(
                evaluation: evaluate(request.element, .answers(AnswerSubset.all[0]), fixture),
                copy: fixture.sealed.copy(in: .passphrase))
        }
    }

    @Test func `two blindings of one secret look unrelated`() throws {
        let fixture = try Fixture.answers.get()
        let opening = try BlindOpening(context: fixture.context, answers: fixture.supplied(right: [0, 1, 2]))
        #expect(try opening.first().element != opening.first().element)
    }
}
