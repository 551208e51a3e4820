/// A text as one word of a POSIX shell.
enum ShellWord {
    /// The text in single quotes, in which a shell changes nothing.
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The text as it is when a shell leaves it alone, in quotes otherwise.
    static func quoteIfNeeded(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/._-".utf8.contains(byte)
        }
        return plain && !text.isEmpty ? text : quote(text)
    }

    /// What ``quote(_:)`` was given, or `nil` when the word is not of that form.
    static func unquote(_ word: some StringProtocol) -> String? {
        let escaped = "'\\''"
        guard word.count >= 2, word.first == "'", word.last == "'" else { return nil }
        let parts = String(word.dropFirst().dropLast()).split(separator: escaped, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.contains("'") }) else { return nil }
        return parts.joined(separator: "'")
    }
}
