import ArgumentParser
import Canonical
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The stream for data, and the capabilities of its terminal.
///
/// A command has done its work only when its data are written. So every write throws, and the error ends the command
/// with exit code 1 and a line on standard error.
struct Output: Sendable {
    let terminal: Terminal
    private let sink: @Sendable ([UInt8]) throws -> Void
    private let settle: @Sendable () throws -> Void

    /// - Parameters:
    ///   - sink: Writes a text completely, or throws.
    ///   - settle: Makes durable what was written, or throws.
    init(
        terminal: Terminal, sink: @escaping @Sendable (String) throws -> Void,
        settle: @escaping @Sendable () throws -> Void = {}
    ) {
        self.init(terminal: terminal, bytes: { try sink(String(decoding: $0, as: UTF8.self)) }, settle: settle)
    }

    private init(
        terminal: Terminal, bytes sink: @escaping @Sendable ([UInt8]) throws -> Void,
        settle: @escaping @Sendable () throws -> Void
    ) {
        self.terminal = terminal
        self.sink = sink
        self.settle = settle
    }

    static func standardOutput() -> Output { Output(descriptor: 1) }

    /// The stream for messages and progress.
    static func standardError() -> MessageOutput { .standardError() }

    /// The stream behind a descriptor.
    init(descriptor: Int32) {
        let writer = DescriptorWriter(descriptor: descriptor)
        self.init(
            terminal: Terminal(descriptor: descriptor),
            bytes: { bytes in
                do throws(WriteFailure) { try writer.write(bytes) } catch { throw CommandFailure.output(error) }
            },
            settle: { do throws(WriteFailure) { try writer.sync() } catch { throw CommandFailure.output(error) } })
    }

    /// Writes the text unchanged.
    ///
    /// - Throws: ``CommandFailure`` with exit code 1 if it was not written completely.
    func write(_ text: String) throws { try sink(Array(text.utf8)) }

    /// Writes text that is already encoded.
    ///
    /// - Throws: As ``write(_:)``.
    func write(utf8 bytes: [UInt8]) throws { try sink(bytes) }

    /// Writes a line.
    ///
    /// - Throws: As ``write(_:)``.
    func line(_ text: String = "") throws { try write(text + "\n") }

    /// Makes durable what was written, where the stream is a file. Call it before something else counts on it.
    ///
    /// - Throws: ``CommandFailure`` with exit code 1.
    func settled() throws { try settle() }

    /// Closes standard output at the end of the command.
    ///
    /// - Throws: ``CommandFailure`` with exit code 1 if the system reports now that data were not stored.
    static func closeStandardOutput() throws {
        do { try DescriptorWriter(descriptor: 1).close() } catch { throw CommandFailure.output(error) }
    }
}

/// The stream for messages and progress, and the capabilities of its terminal.
///
/// Writing never fails: nobody could be told, and the exit code says how the command ended.
struct MessageOutput: Sendable {
    let terminal: Terminal
    private let sink: @Sendable (String) -> Void

    init(terminal: Terminal, sink: @escaping @Sendable (String) -> Void) {
        self.terminal = terminal
        self.sink = sink
    }

    static func standardError() -> MessageOutput { MessageOutput(descriptor: 2) }

    private init(descriptor: Int32) {
        let writer = DescriptorWriter(descriptor: descriptor)
        self.init(terminal: Terminal(descriptor: descriptor)) { text in try? writer.write(Data(text.utf8)) }
    }

    func write(_ text: String) { sink(text) }

    func line(_ text: String = "") { sink(text + "\n") }
}

extension CommandFailure {
    /// The error of a command whose data could not be written.
    static func output(_ failure: WriteFailure) -> CommandFailure {
        let remedy =
            switch failure.number {
            case ENOSPC, EDQUOT, EFBIG: "Free space, or write to another place, and run the command again."
            case EPIPE: "The program that reads the output ended before the command did."
            default: "Run the command again with an output that can be written to."
            }
        return CommandFailure(
            .failure, "standard output could not be written: \(failure.reason)", remedy: remedy)
    }
}

/// The capabilities of a stream. Standard output and standard error are examined separately, because one may be a pipe.
struct Terminal: Sendable, Equatable {
    /// Whether the stream is a terminal with a person.
    var isInteractive: Bool
    /// The number of columns, 80 if unknown.
    var width: Int
    /// Whether to use colour: on a terminal, unless `NO_COLOR` is not empty or `TERM` is `dumb`.
    var usesColour: Bool

    init(isInteractive: Bool, width: Int?, environment: [String: String]) {
        self.isInteractive = isInteractive
        self.width = width ?? environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        self.usesColour = isInteractive && !refused && environment["TERM"] != "dumb"
    }

    /// The terminal behind a file descriptor.
    init(descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isInteractive = isatty(descriptor) == 1
        var size = winsize()
        let answered = isInteractive && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        self.init(
            isInteractive: isInteractive, width: answered ? Int(size.ws_col) : nil, environment: environment)
    }
}

/// The text styles for a terminal with colour.
enum Style: String, Sendable, CaseIterable {
    case strong = "1"
    case quiet = "2"
    case good = "32"
    case caution = "33"
    case bad = "31"

    /// Applies the style if the terminal uses colour.
    func apply(_ text: String, on terminal: Terminal) -> String {
        terminal.usesColour ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Data for programs: one JSON value per line (NDJSON), members in a fixed order.
enum JSONLines {
    /// Renders the line of one value. JSON escapes control characters, so it contains no other line feed.
    static func line(_ value: JSONValue) -> String { text(value) + "\n" }

    /// Renders JSON that is safe on a terminal: control and bidirectional characters are written as `\u…`.
    static func text(_ value: JSONValue) -> String {
        let bytes = value.canonicalBytes()
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(where: { $0 >= 0x7F }) else { return text }
        // Only strings contain non-ASCII characters, so each of these can be escaped.
        var result = ""
        for scalar in text.unicodeScalars {
            if Printable.isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Asks the person to type the name of what is about to be destroyed.
enum Confirmation {
    /// Returns if the typed line equals the expected answer.
    ///
    /// - Throws: ``CommandFailure`` with exit code 64 without a terminal, and with 2 for any other line.
    static func ask(
        _ question: String, expecting answer: String, _ words: MessageOutput, input: Terminal = Terminal(descriptor: 0),
        read: () -> String? = { readLine(strippingNewline: true) }
    ) throws {
        guard input.isInteractive else {
            throw CommandFailure(.usage, "there is no terminal to ask for confirmation", remedy: "Pass --yes.")
        }
        words.write(Printable.text(question))
        // Compare bytes: strings that only look alike are different names.
        guard let typed = read(), typed.utf8.elementsEqual(answer.utf8) else {
            throw CommandFailure(.cancelled, "the entry does not match; nothing was changed")
        }
    }
}
