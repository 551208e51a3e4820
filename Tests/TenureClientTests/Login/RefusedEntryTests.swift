import Canonical
import Credentials
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct RefusedEntryTests {
    private func answer(_ texts: [String], _ service: FakeService) async throws -> TenureClientError? {
        let step = try await TenureClient(service).login(companyName: "A", companyEmployeeId: "7")
        guard case .validateAnswers(let step) = step else { throw StubTransport.Lost() }
        let answers = zip(step.questions, texts).map { SecurityAnswer(questionId: $0.questionId, answer: $1) }
        do { _ = try await step.submit(answers) } catch { return error as? TenureClientError }
        return nil
    }

    @Test func `a wrong answer with a typographic quotation mark or dash gets a hint`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.problem("answers.incorrect")])
        let error = try await answer(["plain 'quotes' - here", "O\u{2019}Hara", "1990\u{2013}1995"], service)
        #expect(error?.kind == .answersIncorrect)
        #expect(
            error?.advice == [
                "Answer 2 contains \u{2019}, which phones type by themselves. If you set it with ', type that instead.",
                "Answer 3 contains \u{2013}, which phones type by themselves. If you set it with -, type that instead.",
            ])
        #expect(error?.sentences.count == 3, "the service's own words come first")
    }

    @Test func `a wrong passphrase with one gets a hint, and other refusals do not`() async throws {
        for (code, count) in [("passphrase.incorrect", 1), ("credentials.locked", 0)] {
            let service = FakeService(asking: .asksForPassphrase, [.problem(code)])
            let step = try await TenureClient(service).login(companyName: "A", companyEmployeeId: "7")
            guard case .validatePassphrase(let step) = step else { throw StubTransport.Lost() }
            do {
                _ = try await step.submit("say \u{201C}friend\u{201D}")
                Issue.record("no error")
            } catch {
                #expect((error as? TenureClientError)?.advice.count == count, "\(code)")
            }
        }
    }

    @Test func `an answer without one gets no hint`() async throws {
        let service = FakeService(asking: .asksForAnswers, [.problem("answers.incorrect")])
        #expect(try await answer(["a", "b", "c"], service)?.advice == [])
    }

    @Test func `a code of the service that this library raises itself has the service's words`() {
        let error = TenureClientError(.init(rawValue: "answers.at_least_three_required"))
        #expect(
            error.sentences == [
                "At least three answers are required. Send three or more answers. This request was not charged."
            ])
    }

    @Test func `an entry that this library refuses is named`() {
        let refused = CredentialsError(.incomplete, at: .answer(2))
        #expect(TenureClientError(refused).advice == ["Answer 3: the answer is empty."])
        #expect(
            TenureClientError(CredentialsError(.incomplete, at: .passphrase)).advice
                == ["the passphrase has fewer than 8 characters."])
        #expect(
            TenureClientError(CredentialsError(.questionsAlike, at: .question(1))).advice
                == ["Question 2: the five questions must differ, and this one is the same as an earlier one."])
    }
}
