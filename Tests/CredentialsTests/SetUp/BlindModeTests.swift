import Testing

@testable import Credentials

@Suite struct BlindModeTests {
    /// The service's half, as its endpoint does it.
    private func evaluate(_ element: [UInt8], _ slot: CopySlot, _ fixture: Fixture) throws -> [UInt8] {
        try fixture.seed.keys().key(for: slot).evaluate(blinded: element)
    }

    @Test func `a blind set-up makes a record that direct answers open`() throws {
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

    @Test func `evaluations that are missing, exchanged or for another key are refused at set-up`() throws {
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

    @Test func `a right log-in opens with the first element alone`() throws {
        let fixture = try Fixture.answers.get()
        let opening = try BlindOpening(
            context: fixture.context, answers: fixture.supplied(right: [0, 1, 2, 3, 4]))
        let first = try opening.first()
        #expect(first.slot == .answers(AnswerSubset.all[0]))
        let key = try first.open(
            evaluation: evaluate(first.element, first.slot, fixture), copy: fixture.sealed.copy(in: first.slot))
        #expect(key.publicKey == fixture.context.userPublicKey)
    }

    @Test func `three right answers of five open with exactly one of the other nine`() throws {
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

    @Test func `a passphrase opens with one element and has no others`() throws {
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
