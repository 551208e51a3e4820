import Credentials
import Foundation
import TenureAPI

/// Asks at the terminal on standard input. Answers and passphrases are not echoed.
///
/// Questions and messages go to standard error, so that standard output is free for data. If standard input is not a
/// terminal, every method that asks throws ``TenureClientError/Code/promptUnavailable``.
///
/// ```swift
/// let prompts = TerminalPrompts(languages: ["de"])
/// let outcome = try await client.complete(step, asking: prompts)
/// ```
public struct TerminalPrompts: PromptProvider {
    private let tries: Int
    private let list: PublishedQuestions
    private let counter = TryCounter()

    /// Creates prompts that ask again until the entry was wrong `tries` times.
    ///
    /// - Parameters:
    ///   - tries: The number of wrong entries after which the prompts give up.
    ///   - languages: The languages in which to offer questions, such as `de`, in order of preference.
    public init(tries: Int = 3, languages: [String] = []) {
        self.tries = max(1, tries)
        list = PublishedQuestions(locale: QuestionLocale(preferring: languages).rawValue)
    }

    /// Asks for five questions with answers, a passphrase, and whether the questions may replace it.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/promptUnavailable``; `CancellationError` on
    ///   cancellation and at the end of the input.
    public func newCredentials(rules: CredentialRules) async throws -> NewUserCredentials {
        say("Choose five questions whose answers you will know in ten years.")
        say("Enter takes the one in brackets, a number another one of the list, and ? shows the list.")
        if rules.customQuestionsAllowed { say("You can also type a question of your own.") }
        say("Case and spaces of an answer do not matter; it is not shown while you type.")
        var questions: [SecurityQuestionAnswer] = []
        for number in 1...5 {
            let text = try await question(number, rules, taken: questions.map(\.question))
            let earlier = questions.map(\.answer)
            let answer = try await twice("Answer: ", allowsNothing: false) { entered in
                WeakSecrets.reason(against: entered, to: Question(text), after: earlier)
            }
            questions.append(SecurityQuestionAnswer(question: text, answer: answer))
        }
        let length = rules.passphraseMinimumLength
        say("\nWith a passphrase you are asked for it, and not for the answers. It has at least \(length) characters.")
        let passphrase = try await twice("Passphrase (Enter for none): ", allowsNothing: true) { entered in
            WeakSecrets.reason(against: entered)
        }
        guard !passphrase.isEmpty else { return NewUserCredentials(questions: questions) }
        var allowed = false
        if rules.questionsWithPassphraseAllowed {
            let reply = try await line("May the answers be used when you forget it? [y/N] ", hidden: false)
            allowed = reply.lowercased().hasPrefix("y")
        }
        return NewUserCredentials(questions: questions, passphrase: passphrase, questionsWithPassphrase: allowed)
    }

    /// Asks for one question until the choice is permitted.
    private func question(_ number: Int, _ rules: CredentialRules, taken: [String]) async throws -> String {
        let offered = list.suggestions() + list.questions
        guard let suggestion = offered.first(where: { !taken.contains($0.text) })?.text else {
            throw TenureClientError(.promptUnavailable)
        }
        while true {
            let entered = try await line("\nQuestion \(number) [\(suggestion)]: ", hidden: false)
            if entered == "?" {
                for item in list.questions { say("\(item.number)  \(item.text)") }
                continue
            }
            let listed = Int(entered).flatMap { number in list.questions.first { $0.number == number }?.text }
            let chosen = entered.isEmpty ? suggestion : listed ?? entered
            guard rules.customQuestionsAllowed || Question(chosen).listed != nil else {
                say(
                    "The list has no such question. Enter a number from 1 to \(list.questions.count), or ? for the list."
                )
                continue
            }
            guard !taken.contains(where: { Question($0) == Question(chosen) }) else {
                say("You have already chosen that question. Choose another.")
                continue
            }
            return chosen
        }
    }

    /// Asks the questions. The person may leave out two.
    ///
    /// - Throws: As ``newCredentials(rules:)``.
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
    ///
    /// - Throws: As ``newCredentials(rules:)``.
    public func passphrase(questionsAllowed: Bool) async throws -> PassphraseReply {
        let prompt = questionsAllowed ? "Passphrase (Enter for the questions instead): " : "Passphrase: "
        while true {
            let passphrase = try await line(prompt, hidden: true)
            if !passphrase.isEmpty { return .passphrase(passphrase) }
            if questionsAllowed { return .questions }
        }
    }

    /// Shows the fingerprint to compare, and asks.
    ///
    /// - Throws: As ``newCredentials(rules:)``.
    public func credentialsWereChanged(_ changed: UnfamiliarCredentials) async throws -> Bool {
        say("\nThe credentials of this account are not those that this device knows. They are now:")
        say("\n  \(changed.readableFingerprint)\n")
        say(
            "A device on which you changed them shows the same: tenure client whoami. If you did not change them, say no:"
        )
        say("somebody else changed them, or this is another service than before.")
        return try await Self.confirms("Did you change them? [y/N] ")
    }

    /// Reports the error. Returns `false` after a lock, after a lost connection and after the last try.
    ///
    /// - Throws: As ``newCredentials(rules:)``.
    public func wasRefused(_ error: TenureClientError) async throws -> Bool {
        let count = await counter.next()
        guard !error.isRetryable, count < tries else { return false }
        if error.kind == .signingRefused {
            say(
                (["That does not open the credentials of this account. Try again."] + error.advice).joined(
                    separator: "\n"))
        } else {
            let lines = error.sentences
            say(lines.isEmpty ? "\(error)" : lines.joined(separator: "\n"))
        }
        return true
    }

    /// Asks a yes-or-no question. Anything but yes counts as no.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/promptUnavailable``; `CancellationError`.
    public static func confirms(_ question: String) async throws -> Bool {
        guard let reply = try await TerminalLine.read(question, hidden: false) else { return false }
        return ["y", "yes"].contains(TerminalText.trimmed(reply).lowercased())
    }

    /// Asks for a secret twice, until it is not weak and both entries are equal.
    private func twice(
        _ prompt: String, allowsNothing: Bool, _ weakness: (String) -> Weakness.Reason?
    ) async throws -> String {
        while true {
            let first = try await line(prompt, hidden: true)
            guard !first.isEmpty else {
                if allowsNothing { return "" }
                continue
            }
            if let reason = weakness(first) {
                say(reason.advice)
                continue
            }
            if try await line("Once more: ", hidden: true) == first { return first }
            say("The two entries differ. Enter both again.")
        }
    }

    /// Reads a line and trims white space. The end of the input cancels.
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

enum TerminalText {
    /// Writes a line to standard error.
    static func say(_ text: String) {
        try? FileHandle(fileDescriptor: 2, closeOnDealloc: false).write(contentsOf: Data((text + "\n").utf8))
    }

    /// Removes control characters and characters that reorder a line, so that a question cannot move the cursor or
    /// imitate another line.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !isUnsafe($0) }))
    }

    /// The text without surrounding white space.
    static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
