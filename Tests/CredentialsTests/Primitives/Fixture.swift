import Canonical
import Crypto
import Foundation
import Testing
@testable import Credentials

/// Credentials made once with fixed randomness and the cheapest accepted cost, for many tests to try.
struct Fixture: Sendable {
    /// Texts of the user's own, two of them in the words of listed questions: the golden record commits to the words.
    static let questions = [
        QuestionAndAnswer(question: .own("What was the name of your first pet?"), answer: "Rex the Dog"),
        QuestionAndAnswer(question: .own("In what city were you born?"), answer: "Zürich"),
        QuestionAndAnswer(question: .own("Your mother's maiden name?"), answer: "O'Neill"),
        QuestionAndAnswer(question: .own("First school?"), answer: "St. Mary's"),
        QuestionAndAnswer(question: .own("First car?"), answer: "Škoda 105"),
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

/// A stream of bytes that is the same for the same seed: SHA-256 of seed and counter.
final class SeededStream: @unchecked Sendable {
    // The lock guards both variables, and nothing else touches them.
    private let lock = NSLock()
    private var counter: UInt32 = 0
    private var rest: [UInt8] = []
    private let seed: [UInt8]

    init(_ seed: String) { self.seed = Array(seed.utf8) }

    func bytes(_ count: Int) -> [UInt8] {
        lock.lock()
        defer { lock.unlock() }
        while rest.count < count {
            var block = ByteWriter()
            block.raw(seed)
            block.u32(counter)
            counter += 1
            rest += Array(SHA256.hash(data: block.bytes))
        }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    func below(_ bound: Int) -> Int {
        Int(bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } % UInt32(bound))
    }
}

extension Randomness {
    static func seeded(_ seed: String) -> Randomness {
        let stream = SeededStream(seed)
        return Randomness { stream.bytes($0) }
    }
}

/// Golden files beside the tests: one `name = hex` per line. With TENURE_WRITE_VECTORS set they are written instead.
enum Vectors {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("vectors")

    static func read(_ file: String) throws -> [String: [UInt8]] {
        let text = try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
        var values: [String: [UInt8]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.components(separatedBy: " = ")
            try #require(parts.count == 2)
            let bytes: [UInt8] = try #require(Hex.decode(parts[1]))
            values[parts[0]] = bytes
        }
        return values
    }

    static var isWriting: Bool { ProcessInfo.processInfo.environment["TENURE_WRITE_VECTORS"] != nil }

    static func write(_ file: String, comment: String, _ values: [(String, [UInt8])]) throws {
        let lines = ["# \(comment)"] + values.map { "\($0.0) = \(Hex.encode($0.1))" }
        try (lines.joined(separator: "\n") + "\n")
            .write(to: directory.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }
}
