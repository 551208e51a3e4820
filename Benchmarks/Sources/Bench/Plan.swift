/// How often and how long is measured.
struct Plan: Sendable {
    /// How many times everything is measured.
    var repetitions = 5
    /// The seconds of one sample.
    var seconds = 3
    /// The seconds of a sample of logins, which are slower than appends.
    var logInSeconds = 4

    /// Reads the arguments; `--long` takes about twenty minutes.
    init(arguments: [String]) throws {
        for argument in arguments {
            guard argument == "--long" else { throw BenchError("there is no option \(argument), only --long") }
            repetitions = 12
            seconds = 10
            logInSeconds = 15
        }
    }
}

/// Why nothing could be measured, or why what was measured does not count.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
