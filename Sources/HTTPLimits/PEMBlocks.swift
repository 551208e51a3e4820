import FoundationEssentials

/// The blocks of a PEM file, each from its line BEGIN to its line END.
///
/// The text around them counts for nothing: names in any encoding, comments, a byte order mark.
struct PEMBlocks: Sendable {
    /// The blocks in their order, with a line feed after each line.
    let bytes: [UInt8]
    /// Whether a private key among them is under a passphrase.
    let isEncrypted: Bool

    /// Returns `nil` for a file without a whole block.
    init?(_ file: [UInt8]) {
        // Each byte is a character, so that no encoding is wrong.
        let text = String(String.UnicodeScalarView(file.map { Unicode.Scalar($0) }))
        var blocks: [Substring] = [], open: [Substring] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = line.hasPrefix(Self.mark) ? line.dropFirst(Self.mark.count) : line
            if line.hasPrefix("-----BEGIN ") { open = [] } else if open.isEmpty { continue }
            open.append(line)
            guard line.hasPrefix("-----END ") else { continue }
            blocks += open
            open = []
        }
        guard !blocks.isEmpty else { return nil }
        isEncrypted = blocks.contains {
            $0.hasPrefix("-----BEGIN ENCRYPTED ") || $0.hasPrefix("Proc-Type: 4,ENCRYPTED")
        }
        bytes = blocks.flatMap { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + [0x0A] }
    }

    /// The bytes of a file; none if it cannot be read.
    static func content(of path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(filePath: path))).map { Array($0) } ?? []
    }

    /// Whether a file begins with the byte order mark of UTF-16, so that no line of it is one of PEM.
    static func isUTF16(_ file: [UInt8]) -> Bool { [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(file.prefix(2))) }

    /// The byte order mark of UTF-8, byte by byte.
    private static let mark = "\u{EF}\u{BB}\u{BF}"
}
