import Foundation

/// Text at a terminal.
enum TerminalText {
    /// A line on standard error.
    static func say(_ text: String) {
        try? FileHandle(fileDescriptor: 2, closeOnDealloc: false).write(contentsOf: Data((text + "\n").utf8))
    }

    /// The text without control characters and without characters that reorder a line: a question must not move the
    /// cursor, or pretend to be another line.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !isUnsafe($0) }))
    }

    /// The text without white space around it.
    static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
