import Canonical
import Foundation
import Testing

@testable import Credentials

/// Credentials made once with fixed randomness and the cheapest accepted cost, for many tests to try.
struct Fixture: Sendable {
    static let questions = [
        QuestionAndAnswer(question: "What was the name of your first pet?", answer: "Rex the Dog"),
        QuestionAndAnswer(question: "In what city were you born?", answer: "Zürich"),
        QuestionAndAnswer(question: "Your mother's maiden name?", answer: "O'Neill"),
        QuestionAndAnswer(question: "First school?", answer: "St. Mary's"),
        QuestionAndAnswer(question: "First car?", answer: "Škoda 105"),
    ]
    static let passphrase = "Correct horse battery staple"

    let seed: OPRFSeed
    let device: EmployeeKey
    let plan: SetUpPlan
    let new: NewCredentials
    let record: CredentialsRecord

    var sealed: SealedCredentials { record.sealed }
    var context: OpeningContext { record.sealed.context }

    init(
        _ name: String, mode: CredentialMode = .blind, passphrase: String? = nil,
        questionsWithPassphrase: Bool = false, blindOnly: Bool = false
    ) throws {
        let random = Randomness.seeded(name)
        seed = try OPRFSeed.generate(random)
        device = try EmployeeKey.generate(random)
        plan = try SetUpPlan(
            credentialId: random.uuid(), userId: random.uuid(), mode: mode, blindOnly: blindOnly, seed: seed,
            kdf: try ScryptParameters(log2N: 14))
        let setUp = try CredentialSetUp(
            plan: plan, questions: Self.questions, passphrase: passphrase,
            questionsWithPassphrase: questionsWithPassphrase, random: random)
        new = try setUp.complete(seed: seed, random: random)
        record = try new.record(
            deviceSignature: mode == .blind ? device.sign(new).bytes : nil, employeeKey: device.publicKey)
    }

    /// Answers alone, blind.
    static let answers = Result { try Fixture("answers") }
    /// Answers and passphrase, blind, both allowed.
    static let both = Result { try Fixture("both", passphrase: passphrase, questionsWithPassphrase: true) }
    /// A passphrase alone opens, direct.
    static let passphraseOnly = Result { try Fixture("passphrase", mode: .direct, passphrase: passphrase) }

    /// The right answers at these positions (0 to 4) and wrong ones at those.
    func supplied(right: [Int], wrong: [Int] = []) throws -> SuppliedAnswers {
        try SuppliedAnswers(
            right.map { (context.questionIds[$0], Self.questions[$0].answer) }
                + wrong.map { (context.questionIds[$0], "wrong answer") },
            questionIds: context.questionIds)
    }
}

/// Expects that `body` throws this code.
func expect(
    _ code: CredentialsError.Code, field: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("nothing was thrown, \(code) was expected", sourceLocation: sourceLocation)
    } catch let error as CredentialsError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        if let field { #expect(error.field == field, sourceLocation: sourceLocation) }
    } catch {
        Issue.record("another error was thrown: \(error)", sourceLocation: sourceLocation)
    }
}

func hex(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }
