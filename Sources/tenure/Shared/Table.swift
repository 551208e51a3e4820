/// A table with aligned columns, two spaces apart and without borders.
struct Table: Sendable {
    /// The alignment of a column's text.
    enum Alignment: Sendable { case left, right }

    /// The head of one column.
    struct Column: Sendable {
        var title: String
        var alignment: Alignment = .left
    }

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row. Missing cells are empty. Control and bidirectional characters are escaped.
    mutating func add(_ cells: [String]) {
        rows.append((0..<columns.count).map { $0 < cells.count ? Printable.text(cells[$0]) : "" })
    }

    /// Renders the table with one line per row, without trailing spaces.
    func rendered(on terminal: Terminal) -> String {
        let titles = columns.map { $0.title.uppercased() }
        let widths = columns.indices.map { index in
            ([titles[index]] + rows.map { $0[index] }).map(DisplayWidth.of).max() ?? 0
        }
        let head = Style.quiet.apply(line(titles, widths), on: terminal)
        return ([head] + rows.map { line($0, widths) }).map { $0 + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[index] - DisplayWidth.of(cell))
            line += columns[index].alignment == .left ? cell + padding : padding + cell
            line += "  "
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

/// Computes how many terminal columns a text takes.
///
/// It implements the simple part of UAX #11: wide blocks count two, combining marks count zero, everything else counts
/// one. A terminal that draws an ambiguous character wide will be off by one for each.
enum DisplayWidth {
    /// The number of columns of a text without control characters.
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The width of a character is that of its widest scalar, so that a base with marks or a joined emoji counts once.
    private static func width(of character: Character) -> Int {
        character.unicodeScalars.map(width).max() ?? 0
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul leading consonants
        0x2E80...0x303E,  // CJK radicals and punctuation
        0x3041...0x33FF,  // Kana to CJK compatibility
        0x3400...0x4DBF, 0x4E00...0x9FFF,  // CJK ideographs
        0xA000...0xA4CF,  // Yi
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // CJK compatibility ideographs
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,  // Full-width forms
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,  // Emoji
        0x20000...0x3FFFD,  // Supplementary ideographs
    ]
}

/// Makes text from others safe to print: a tenant's name must not move the cursor.
enum Printable {
    /// Writes control characters and bidirectional characters as `\u{…}`.
    ///
    /// Line feed and tab are control characters too, so a printed name never breaks a line.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether the character controls a terminal or reorders a line. No such character is beyond U+FFFF.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        // Bidirectional embeddings, overrides, isolates and marks; line and paragraph separator.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
