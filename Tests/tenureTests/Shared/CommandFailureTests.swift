import ErrorCodes
import TenureAPI
import Testing

@testable import TenureClient
@testable import tenure

@Suite struct CommandFailureTests {
    @Test(arguments: TenureClientError.Kind.allCases)
    func `an error of the library has words, not only its code`(kind: TenureClientError.Kind) {
        guard kind != .unrecognized else { return }
        let failure = CommandFailure.client(TenureClientError(.init(rawValue: kind.rawValue)))
        #expect(failure.message != kind.rawValue)
        #expect(failure.message.contains(" ") || kind == .cancelled, "\(failure.message)")
    }

    @Test func `too few answers are explained`() {
        let failure = CommandFailure.client(TenureClientError(.init(rawValue: "answers.at_least_three_required")))
        #expect(failure.message == "At least three answers are required (answers.at_least_three_required)")
        #expect(failure.remedy == "Send three or more answers. This request was not charged.")
    }

    @Test func `a directory without file locks and a line that is not UTF-8 are told as what they are`() throws {
        let advice = "The file is in a directory without file locks (No locks available)."
        let lockless = CommandFailure.client(TenureClientError(.storageFailed, nil, nil, [advice]))
        #expect(lockless.message == advice && lockless.remedy == nil)
        #expect(CommandFailure.client(TenureClientError(.storageFailed)).remedy?.contains("chmod") == true)
        let error = try #require(throws: TenureClientError.self) { try TerminalLine.text([0xDE, 0xC1]) }
        let garbled = CommandFailure.client(error)
        #expect(garbled.exitCode == .usage && garbled.message.contains("Set it to UTF-8"))
    }

    @Test func `a hint about a refused entry stands beside the refusal`() {
        let problem = Problem(ErrorCode.answersIncorrect, requestId: "r")
        let error = TenureClientError(problem).hinting(
            at: .answers([SecurityAnswer(questionId: "q", answer: "O\u{2019}Hara")]))
        let message = CommandFailure.client(error).message
        #expect(message.contains("(answers.incorrect)") && message.contains("Answer 1 contains \u{2019}"))
        let blind = TenureClientError(.signingRefused).hinting(at: .passphrase("rock \u{2013} paper"))
        #expect(CommandFailure.client(blind).message.contains("The passphrase contains \u{2013}"))
    }
}

@Suite struct ClientPinReportTests {
    private func next(isProof: Bool, _ status: MPinStatus.Code) -> String? {
        ClientPinReport(
            company: "harbour.example", user: MPinUser(id: "anna", deviceName: nil), status: MPinStatus(status),
            isProof: isProof
        ).next
    }

    @Test func `a right PIN leaves nothing to run`() {
        #expect(next(isProof: true, .ok) == nil)
        #expect(next(isProof: true, .incorrectPIN) == "tenure client pin register harbour.example anna")
        #expect(next(isProof: false, .ok) == "tenure client pin register harbour.example anna")
    }
}
