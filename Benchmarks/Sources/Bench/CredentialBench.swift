import Credentials
import Crypto
import CryptoExtras
import Foundation

/// What the service computes in direct mode, on one core and in processor time: other processes count little.
struct CredentialBench: Benchmark {
    static let name = "credentials"
    static let pairs: [PairedMeasure] = [.passphrase, .answers, .wrongAnswers, .setUpPassphrase, .setUpAnswers]

    private let seed: OPRFSeed
    private let sealed: SealedCredentials

    private static let passphrase = "Correct horse battery staple"
    private static let questions = (1...5).map { number in
        QuestionAndAnswer(question: "Question \(number)?", answer: "answer \(number)")
    }

    /// Sets up credentials that open with the passphrase and with answers.
    init(cluster: Cluster, plan: Plan) throws {
        seed = try OPRFSeed.generate()
        let setUp = try CredentialSetUp(
            plan: Self.plan(seed), questions: Self.questions, passphrase: Self.passphrase, questionsWithPassphrase: true
        )
        sealed = try setUp.complete(seed: seed).content.sealed
    }

    private static func plan(_ seed: OPRFSeed) throws -> SetUpPlan {
        try SetUpPlan(credentialId: UUID(), userId: UUID(), mode: .direct, seed: seed)
    }

    /// Short work is done several times.
    func measure(_ repetition: Int, _ results: inout Results) async throws {
        let passphrase = try Passphrase(supplied: Self.passphrase)
        let right = try answers(3) { Self.questions[$0].answer }
        let wrong = try answers(5) { "wrong \($0)" }
        let pieces: [(PairedMeasure, times: Int, work: () throws -> Void)] = [
            (.passphrase, 4, { _ = try sealed.open(passphrase: passphrase, seed: seed) }),
            (.answers, 4, { _ = try sealed.open(answers: right, seed: seed) }),
            (.wrongAnswers, 1, { try refuse(wrong) }),
            (.setUpPassphrase, 4, { try setUp(Self.passphrase) }),
            (.setUpAnswers, 1, { try setUp(nil) }),
        ]
        for (pair, times, work) in pieces {
            let pairs = try await pair.pairs(
                base: { try Self.milliseconds(times: 4) { try Self.stretch() } },
                measured: { try Self.milliseconds(times: times, work) })
            results.record(pair, pairs)
        }
    }

    /// The processor time of opening credentials by a passphrase, in milliseconds, while every core does that.
    func openingMilliseconds() async throws -> Double {
        let (sealed, seed) = (sealed, seed), passphrase = try Passphrase(supplied: Self.passphrase)
        return try await Self.millisecondsOnEveryCore(times: 10) {
            _ = try sealed.open(passphrase: passphrase, seed: seed)
        }
    }

    private func answers(_ count: Int, _ text: (Int) -> String) throws -> SuppliedAnswers {
        let ids = sealed.context.questionIds
        return try SuppliedAnswers((0..<count).map { (ids[$0], text($0)) }, questionIds: ids)
    }

    private func refuse(_ answers: SuppliedAnswers) throws {
        do {
            _ = try sealed.open(answers: answers, seed: seed)
        } catch {
            guard error.code == .cannotOpen else { throw error }
            return
        }
        throw BenchError("wrong answers opened the credential")
    }

    /// Everything from what a person entered to the credentials, the keys of a new seed included.
    private func setUp(_ passphrase: String?) throws {
        let seed = try OPRFSeed.generate()
        _ = try CredentialSetUp(plan: Self.plan(seed), questions: Self.questions, passphrase: passphrase)
            .complete(seed: seed)
    }

    /// What the service computes for one element in blind mode, the key of the seed, the evaluation and its proof: while
    /// every core does that, as every core works while log-ins are measured.
    static func evaluationMilliseconds() async throws -> Double {
        let seed = try OPRFSeed.generate(), first = try element(seed)
        return try await millisecondsOnEveryCore(times: 1_000) {
            let element = try BlindedElement(slot: first.slot, bytes: first.element)
            _ = try seed.key(for: element.slot).evaluate(element)
        }
    }

    /// The processor time of one piece of work, in milliseconds, while each core does it.
    static func millisecondsOnEveryCore(
        times: Int = 200, _ work: @escaping @Sendable () throws -> Void
    ) async throws -> Double {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<cores { group.addTask { try milliseconds(times: times, work) } }
            return try await group.reduce(0, +) / Double(cores)
        }
    }

    private static func element(_ seed: OPRFSeed) throws -> (slot: CopySlot, element: [UInt8]) {
        let keys = try seed.keys()
        let setUp = try CredentialSetUp(
            plan: SetUpPlan(
                credentialId: UUID(), userId: UUID(), mode: .blind, blindOnly: false,
                oprfAnswers: keys.answers.publicKey,
                oprfPassphrase: keys.passphrase.publicKey, kdf: .standard), questions: questions, passphrase: nil)
        let first = try setUp.blinded().elements[0]
        return (first.slot, first.element)
    }

    private static func stretch() throws {
        let cost = ScryptParameters.standard
        _ = try KDF.Scrypt.deriveKey(
            from: Array("secret".utf8), salt: Array("salt".utf8), outputByteCount: 32, rounds: 1 << Int(cost.log2N),
            blockSize: Int(cost.r), parallelism: Int(cost.p))
    }

    /// The processor time of this thread; `work` is synchronous, so it stays on it.
    private static func milliseconds(times: Int, _ work: () throws -> Void) throws -> Double {
        let start = try processorTime()
        for _ in 0..<times { try work() }
        return (try processorTime() - start) / Double(times)
    }

    private static func processorTime() throws -> Double {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { throw BenchError("there is no clock") }
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}

extension PairedMeasure {
    private static let scrypt = "one scrypt at the default cost"
    static let passphrase = PairedMeasure(title: "log-in, right passphrase", unit: "ms", base: scrypt)
    static let answers = PairedMeasure(title: "log-in, three right answers", unit: "ms", base: scrypt)
    static let wrongAnswers = PairedMeasure(title: "log-in, five wrong answers (ten copies)", unit: "ms", base: scrypt)
    static let setUpPassphrase = PairedMeasure(title: "set-up, passphrase alone (one copy)", unit: "ms", base: scrypt)
    static let setUpAnswers = PairedMeasure(title: "set-up, five questions (ten copies)", unit: "ms", base: scrypt)
}
