import Credentials
import Crypto
import Foundation
import IdentityService
import TenureAPI

/// Somebody in blind mode, whose device opened its copy once and then repeats what it sent: the service does all of its
/// work for each log-in, and this machine none of the client's stretching.
struct BlindPerson: Sendable {
    let person: BenchPerson
    let userKey: UserKey
    let slot: Int64
    let element: [UInt8]
    /// A challenge of an earlier log-in.
    private let challenge: [UInt8]

    /// Registers somebody with five questions and prepares the log-in by answers.
    static func register(_ person: BenchPerson, _ session: BenchSession) async throws -> BlindPerson {
        let started = try await session.startRegistration(person)
        let challenge = try Challenge(parsing: started.challenge)
        let asked = try await session.proveKey(.registration, started, person)
        guard case .setCredentials(_, _, let told?) = asked, let log2N = UInt8(exactly: told.kdf.log2N) else {
            throw BenchError("the service asked for something else than credentials")
        }
        let plan = SetUpPlan(
            credentialId: told.credentialId, userId: told.userId, mode: .blind, blindOnly: false,
            oprfAnswers: try OPRFPublicKey(bytes: told.oprfAnswers),
            oprfPassphrase: try OPRFPublicKey(bytes: told.oprfPassphrase), kdf: try ScryptParameters(log2N: log2N))
        let blinded = try CredentialSetUp(
            plan: plan, questions: person.questions.map { QuestionAndAnswer(question: $0.question, answer: $0.answer) },
            passphrase: nil
        ).blinded()
        let evaluations = try await session.evaluate(
            .registration, started,
            blinded.elements.map { EvaluationsRequest.Element(slot: Int64($0.slot.byte), element: $0.element) })
        let new = try blinded.complete(evaluations: evaluations.evaluations.map(\.evaluation))
        let record = try new.record(
            deviceSignature: person.sign(new.deviceMessage),
            employeeKey: try EmployeePublicKey(bytes: person.publicKey))
        let proof = ProofRequest(
            userSignature: try new.userKey.sign(validationOf: challenge).bytes,
            credentials: .init(
                record: record.bytes, questions: new.questions.map { .init(QuestionChoice($0.question), salt: $0.salt) }
            ))
        try await session.prove(.registration, started, proof)
        return try await prepare(person, new.userKey, session)
    }

    /// Blinds the answers once, as the first log-in asks for them.
    private static func prepare(
        _ person: BenchPerson, _ userKey: UserKey, _ session: BenchSession
    ) async throws -> BlindPerson {
        let started = try await session.startLogin(person)
        let asked = try await session.proveKey(.login, started, person)
        guard case .validateAnswers(_, let questions, let told?) = asked else {
            throw BenchError("the service asked for something else than answers")
        }
        let context = try OpeningContext(bytes: told.context)
        let answers = try zip(context.questionIds, questions).map { id, question in
            guard let known = person.questions.first(where: { $0.question == question.question }) else {
                throw BenchError("a question that nobody set")
            }
            return (questionId: id, answer: known.answer)
        }
        let opening = try BlindOpening(
            context: context, answers: try SuppliedAnswers(answers, questionIds: context.questionIds))
        let first = try opening.first()
        return BlindPerson(
            person: person, userKey: userKey, slot: Int64(first.slot.byte), element: first.element,
            challenge: started.challenge)
    }

    /// What hashes for each log-in, and how often.
    typealias Hashing = (workers: HashingWorkers, count: Int)

    /// Logs in: four calls, one evaluation.
    ///
    /// - Parameter hashing: What hashes beside the evaluation and how often, if anything does.
    func logIn(_ session: BenchSession, hashing: Hashing? = nil) async throws {
        let started = try await session.startLogin(person)
        _ = try await session.proveKey(.login, started, person)
        if let (workers, count) = hashing {
            for _ in 0..<count { try await workers.hash() }
        }
        _ = try await session.evaluate(.login, started, [EvaluationsRequest.Element(slot: slot, element: element)])
        try await session.prove(.login, started, ProofRequest(userSignature: try userSignature(started.challenge)))
    }

    /// Signs a challenge as the user key that the answers unlock.
    func userSignature(_ challenge: [UInt8]) throws -> [UInt8] {
        try userKey.sign(validationOf: try Challenge(parsing: challenge)).bytes
    }

    /// The processor time of what a client does for a log-in here, which is not the service's: two signatures.
    func clientMilliseconds() async throws -> Double {
        let (person, challenge) = (person, challenge)
        return try await CredentialBench.millisecondsOnEveryCore {
            _ = try person.sign(challenge)
            _ = try userSignature(challenge)
        }
    }
}

extension QuestionChoice {
    /// The question in the form that ``Credentials/QuestionText`` commits to.
    fileprivate init(_ question: Question) {
        self =
            switch question {
            case .listed(let listed): .listed(number: Int64(listed.number), version: Int64(listed.version))
            case .own(let text): .text(text)
            }
    }
}
