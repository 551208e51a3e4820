/// What is measured, how often and how long.
struct Plan: Sendable {
    /// How many times everything is measured.
    var repetitions = 5
    /// The seconds of one sample.
    var seconds = 3
    /// The seconds of a sample of logins, which are slower than appends.
    var logInSeconds = 4
    /// The events of the log that is rebuilt, verified and replayed.
    var events = 120_000
    /// The names of the benchmarks that are wanted; all when empty.
    var only: Set<String> = []

    /// Reads the arguments; `--long` takes about seven times as long, `--only NAME` leaves out all others.
    init(arguments: [String], names: [String]) throws {
        var arguments = arguments[...]
        while let argument = arguments.popFirst() {
            switch argument {
            case "--long":
                repetitions = 12
                seconds = 10
                logInSeconds = 15
                events = 1_000_000
            case "--repetitions":
                guard let count = arguments.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw BenchError("--repetitions needs a number")
                }
                repetitions = count
            case "--events":
                guard let count = arguments.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw BenchError("--events needs a number")
                }
                events = count
            case "--only":
                guard let name = arguments.popFirst(), names.contains(name) else {
                    throw BenchError("--only needs one of \(names.joined(separator: ", "))")
                }
                only.insert(name)
            default: throw BenchError("there is no option \(argument), only --long, --repetitions, --events and --only")
            }
        }
    }
}

/// Why nothing could be measured, or why what was measured does not count.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
