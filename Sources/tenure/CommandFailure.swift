import ArgumentParser

/// Why a command stopped, in words for a person, with what to do about it.
struct CommandFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The code that the process ends with.
    var exitCode: ExitCode
    /// What went wrong, one sentence without a full stop at the end when it ends in a value.
    var message: String
    /// The next thing to do, when there is one.
    var remedy: String?

    init(_ exitCode: ExitCode, _ message: String, remedy: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.remedy = remedy
    }

    /// The most important line comes last, where a reader looks first.
    var description: String {
        let first = "tenure: " + Printable.text(message)
        guard let remedy else { return first }
        return first + "\n        " + remedy
    }
}
