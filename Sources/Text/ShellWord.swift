/// Quotes text as one word of a POSIX shell.
package enum ShellWord {
    /// Puts the text in single quotes.
    package static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Returns the text unchanged if the shell does not interpret it, and in quotes otherwise.
    package static func quoteIfNeeded(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/._-".utf8.contains(byte)
        }
        return plain && !text.isEmpty ? text : quote(text)
    }

    /// Reverses ``quote(_:)``; `nil` if the word has another form.
    package static func unquote(_ word: some StringProtocol) -> String? {
        let escaped = "'\\''"
        guard word.count >= 2, word.first == "'", word.last == "'" else { return nil }
        let parts = String(word.dropFirst().dropLast()).split(separator: escaped, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.contains("'") }) else { return nil }
        return parts.joined(separator: "'")
    }
}
