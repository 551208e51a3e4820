import TenureAPI

/// Asks at the terminal on standard input; answers and passphrases are not shown while they are typed.
///
/// Questions and words go to standard error, so that standard output is free for data. Where standard input is no
/// terminal, everything throws ``TenureClientError/Code/promptUnavailable``.
public struct TerminalPrompts: PromptProvider {
    /// Questions that a person may take instead of thinking of one.
    public static let suggestions = [
        "Which street did you live in as a child?", "What was your first teacher called?",
        "Where did your parents meet?", "What did you want to become as a child?", "Which book did you read twice?",
    ]
    private let tries: Int
    private let counter = TryCounter()

    /// Prompts that ask again until the `tries`th wrong entry.
    public init(tries: Int = 3) { self.tries = max(1, tries) }

    /// Asks for five questions with answers, a passphrase, and whether the questions may take its place.
    public func newCredentials(rules: CredentialRules) async throws -> NewUserCredentials {
        say("Choose five questions whose answers you will know in ten years. Enter alone takes the one in brackets.")
        say("Case and spaces of an answer do not matter; it is not shown while you type.")
        var questions: [SecurityQuestionAnswer] = []
        for (number, suggestion) in zip(1..., Self.suggestions) {
            let entered = try await line("\nQuestion \(number) [\(suggestion)]: ", hidden: false)
            let question = entered.isEmpty ? suggestion : entered
            questions.append(
                SecurityQuestionAnswer(question: question, answer: try await twice("Answer: ", allowsNothing: false)))
        }
        let length = rules.passphraseMinimumLength
        say("\nWith a passphrase you are asked for it, and not for the answers. It has at least \(length) characters.")
        let passphrase = try await twice("Passphrase (Enter for none): ", allowsNothing: true)
        guard !passphrase.isEmpty else { return NewUserCredentials(questions: questions) }
        var allowed = false
        if rules.questionsWithPassphraseAllowed {
            let reply = try await line("May the answers be used when you forget it? [y/N] ", hidden: false)
            allowed = reply.lowercased().hasPrefix("y")
        }
        return NewUserCredentials(questions: questions, passphrase: passphrase, questionsWithPassphrase: allowed)
    }

    /// Asks the questions; a person may leave out two.
    public func answers(to questions: [SecurityQuestion]) async throws -> [SecurityAnswer] {
        say("Three right answers are enough; Enter leaves one out.")
        var answers: [SecurityAnswer] = []
        for question in questions {
            let answer = try await line("\(TerminalText.printable(question.questionText)) ", hidden: true)
            if !answer.isEmpty { answers.append(SecurityAnswer(questionId: question.questionId, answer: answer)) }
        }
        return answers
    }

    /// Asks for the passphrase.
    public func passphrase(questionsAllowed: Bool) async throws -> PassphraseReply {
        let prompt = questionsAllowed ? "Passphrase (Enter for the questions instead): " : "Passphrase: "
        while true {
            let passphrase = try await line(prompt, hidden: true)
            if !passphrase.isEmpty { return .passphrase(passphrase) }
            if questionsAllowed { return .questions }
        }
    }

    /// Shows what to compare, and asks.
    public func credentialsWereChanged(_ changed: ChangedCredentials) async throws -> Bool {
        say("\nThe credentials of this account are not those that this device knows. They are now:")
        say("\n  \(changed.readableFingerprint)\n")
        say(
            "A device on which you changed them shows the same: tenure client whoami. If you did not change them, say no:"
        )
        say("somebody else did, or this is not the service that it was.")
        return try await Self.confirms("Did you change them? [y/N] ")
    }

    /// Says what was wrong. A lock, a lost connection and the last try end it.
    public func wasRefused(_ error: TenureClientError) async throws -> Bool {
        let count = await counter.next()
        guard !error.isRetryable, count < tries else { return false }
        if error.kind == .signingRefused {
            say("That does not open the credentials of this account. Try again.")
        } else {
            say(error.problem.map { "\($0.title). \($0.detail)" } ?? "\(error)")
        }
        return true
    }

    /// Asks a question that is answered with yes or no; anything but a yes is a no.
    public static func confirms(_ question: String) async throws -> Bool {
        guard let reply = try await TerminalLine.read(question, hidden: false) else { return false }
        return ["y", "yes"].contains(TerminalText.trimmed(reply).lowercased())
    }

    private func twice(_ prompt: String, allowsNothing: Bool) async throws -> String {
        while true {
            let first = try await line(prompt, hidden: true)
            guard !first.isEmpty else {
                if allowsNothing { return "" }
                continue
            }
            if try await line("Once more: ", hidden: true) == first { return first }
            say("These two differ.")
        }
    }

    /// A line without white space around it; the end of the input gives up.
    private func line(_ prompt: String, hidden: Bool) async throws -> String {
        guard let line = try await TerminalLine.read(prompt, hidden: hidden) else { throw CancellationError() }
        return hidden ? line : TerminalText.trimmed(line)
    }

    private func say(_ text: String) { TerminalText.say(text) }
}

private actor TryCounter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
