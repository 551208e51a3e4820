import Canonical
import Foundation
import Testing

@testable import Credentials

@Suite struct EnteredTextTests {
    let plan: SetUpPlan
    let ids: [UUID]

    init() throws {
        plan = try Fixture.answers.get().plan
        ids = try Fixture.answers.get().context.questionIds
    }

    private func setUp(
        _ change: (inout [QuestionAndAnswer]) -> Void = { _ in }, passphrase: String? = nil
    ) throws {
        var questions = Fixture.questions
        change(&questions)
        _ = try CredentialSetUp(plan: plan, questions: questions, passphrase: passphrase)
    }

    @Test func `exactly five questions are required`() {
        expect(.fiveQuestionsRequired) { try setUp { $0.removeLast() } }
        expect(.fiveQuestionsRequired) { try setUp { $0.append($0[0]) } }
        expect(.fiveQuestionsRequired) { try setUp { $0.removeAll() } }
    }

    @Test(arguments: ["", " ", "\u{a0}\u{2003}", "\u{ad}"]) func `an empty question or answer is incomplete`(
        _ empty: String
    ) {
        expect(.incomplete) { try setUp { $0[3].answer = empty } }
        expect(.incomplete) { try setUp { $0[0].question = .own(empty) } }
    }

    @Test func `questions that differ only in spelling are the same question`() {
        expect(.questionsAlike) { try setUp { $0[1].question = $0[0].question } }
        expect(.questionsAlike) { try setUp { $0[4].question = .own("  FIRST   school? ") } }
    }

    @Test func `equal answers are too weak`() {
        expect(.tooWeak) { try setUp { for index in 0..<5 { $0[index].answer = "same" } } }
    }

    @Test func `sizes are accepted at the limit and refused above it`() throws {
        let limit = String(repeating: "a", count: 256)
        try setUp { $0[2].answer = limit }
        expect(.tooLong) { try setUp { $0[2].answer = limit + "a" } }
        try setUp { $0[2].question = .own(limit) }
        expect(.tooLong) { try setUp { $0[2].question = .own(limit + "a") } }
        try setUp(passphrase: String(repeating: "p", count: 1_024))
        expect(.tooLong) { try setUp(passphrase: String(repeating: "p", count: 1_025)) }
        // U+FDFA is 3 bytes and folds to 33: within the limit before, above it after.
        expect(.tooLong) { try setUp { $0[2].answer = String(repeating: "\u{FDFA}", count: 20) } }
    }

    @Test func `a new passphrase has at least eight code points after canonicalisation`() throws {
        try setUp(passphrase: "qzv78xk1")
        expect(.incomplete, field: "passphrase") { try setUp(passphrase: "qzv78xk") }
        expect(.incomplete) { try setUp(passphrase: "") }
        // Fourteen code points as typed, seven in form NFC; one family is seven code points and one character.
        expect(.incomplete) { try setUp(passphrase: String(repeating: "u\u{308}", count: 7)) }
        expect(.incomplete) { try setUp(passphrase: "👨‍👩‍👧‍👦") }
        try setUp(passphrase: "👨‍👩‍👧‍👦!")
    }

    @Test func `controls, NUL, unassigned code points and bytes that were not UTF-8 are refused`() {
        for bad in ["a\u{0}b", "a\u{7}b", "a\u{378}b", "a\u{FFFD}b"] {
            expect(.textInvalid) { try setUp { $0[0].answer = bad } }
            expect(.textInvalid) { try setUp { $0[0].question = .own(bad) } }
            expect(.textInvalid) { try setUp(passphrase: "long enough " + bad) }
            expect(.textInvalid) { _ = try Passphrase(supplied: bad) }
            expect(.textInvalid) {
                _ = try SuppliedAnswers([(ids[0], bad), (ids[1], "b"), (ids[2], "c")], questionIds: ids)
            }
        }
    }

    // A run of white space is one space in an answer, but the text of a question is kept and shown as it was entered.
    @Test(arguments: ["\t", "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}"])
    func `tabs and line ends are refused in the text of a question`(_ end: String) throws {
        for text in ["one\(end)two", "\(end)one", "one\(end)", end] {
            expect(.textInvalid) { try setUp { $0[0].question = .own(text) } }
            expect(.textInvalid) { _ = try QuestionText(text) }
        }
        try setUp { $0[0].answer = "one\(end)two" }
    }

    @Test func `fewer than three answers are refused, and a blank one does not count`() throws {
        expect(.atLeastThreeAnswersRequired) { _ = try SuppliedAnswers([], questionIds: ids) }
        expect(.atLeastThreeAnswersRequired) {
            _ = try SuppliedAnswers([(ids[0], "a"), (ids[1], "b")], questionIds: ids)
        }
        expect(.atLeastThreeAnswersRequired) {
            _ = try SuppliedAnswers([(ids[0], "a"), (ids[1], "b"), (ids[2], "  ")], questionIds: ids)
        }
        #expect(
            try SuppliedAnswers(
                [(ids[0], "a"), (ids[1], "b"), (ids[2], ""), (ids[4], "c")], questionIds: ids
            ).count == 3)
    }

    @Test func `a repeated or unknown question id is refused before answers are counted`() {
        expect(.questionTwice) { _ = try SuppliedAnswers([(ids[0], "a"), (ids[0], "a")], questionIds: ids) }
        expect(.questionUnknown) {
            _ = try SuppliedAnswers([(ids[0], "a"), (ids[1], "b"), (UUID(), "c")], questionIds: ids)
        }
        expect(.tooLong) {
            _ = try SuppliedAnswers(
                ids.map { ($0, String(repeating: "x", count: 257)) }, questionIds: ids)
        }
    }

    @Test func `a supplied passphrase may be short but not empty`() throws {
        _ = try Passphrase(supplied: "x")
        expect(.passphraseMissing) { _ = try Passphrase(supplied: "") }
        expect(.tooLong) { _ = try Passphrase(supplied: String(repeating: "p", count: 1_025)) }
    }

    @Test func `a plan that is direct and blind-only at once is refused`() {
        var both = plan
        both.mode = .direct
        both.blindOnly = true
        let contradiction = both
        expect(.recordInvalid) {
            _ = try CredentialSetUp(plan: contradiction, questions: Fixture.questions, passphrase: nil)
        }
    }

    @Test func `secrets are redacted in every printed form`() throws {
        let fixture = try Fixture.both.get()
        let secrets: [any Redacted] = try [
            fixture.seed, fixture.seed.keys(), fixture.seed.keys().answers, fixture.new.userKey, fixture.new,
            fixture.device, Fixture.questions[0], fixture.supplied(right: [0, 1, 2]),
            Passphrase(supplied: Fixture.passphrase), DecoyKey(bytes: [UInt8](repeating: 1, count: 32)),
            AppAuthorityKey(appSecret: Array(0..<32), appSalt: Array(0..<16)),
            CredentialSetUp(plan: plan, questions: Fixture.questions, passphrase: nil),
            SetUpAuthority.changed(oldKey: fixture.new.userKey), SecretBytes([1]),
        ]
        for secret in secrets {
            #expect("\(secret)" == "[redacted]")
            #expect(String(reflecting: secret) == "[redacted]")
            #expect(String(describing: [secret]) == "[[redacted]]")
            var dumped = ""
            dump(secret, to: &dumped)
            #expect(dumped.contains("[redacted]") && dumped.split(separator: "\n").count == 1)
        }
    }
}
