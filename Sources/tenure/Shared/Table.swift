/// A table with aligned columns, two spaces apart and without borders.
///
/// On a terminal it fits the width and loses no data: cells wrap between words. If that is not enough, each row becomes
/// a block with one line per column. A value may then be longer than the line, because an id in two parts cannot be
/// copied. Output that is no terminal is not wrapped.
struct Table: Sendable {
    /// The alignment of a column's text.
    enum Alignment: Sendable { case left, right }

    /// The head of one column.
    struct Column: Sendable {
        var title: String
        var alignment: Alignment = .left
    }

    /// The spaces between two columns.
    private static let gap = 2

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row. Missing cells are empty. Control and bidirectional characters are escaped.
    mutating func add(_ cells: [String]) {
        rows.append((0..<columns.count).map { $0 < cells.count ? Printable.text(cells[$0]) : "" })
    }

    /// Renders the table with one line per row, without trailing spaces. On a narrow terminal a row has more lines.
    func rendered(on terminal: Terminal) -> String {
        let titles = columns.map { $0.title.uppercased() }
        let natural = widths(titles, DisplayWidth.of)
        let room = terminal.isInteractive ? terminal.width : .max
        guard let widths = fitted(natural, to: room, titles) else { return blocks(titles, on: terminal) }
        let head = lines(titles, widths).map { Style.quiet.apply($0, on: terminal) }
        return (head + rows.flatMap { lines($0, widths) }).map { $0 + "\n" }.joined()
    }

    /// The width of each column, if `measure` measures its cells.
    private func widths(_ titles: [String], _ measure: (String) -> Int) -> [Int] {
        columns.indices.map { index in ([titles[index]] + rows.map { $0[index] }).map(measure).max() ?? 0 }
    }

    /// Returns the widths of columns that take at most `room`, narrowing the widest first. `nil` if the longest words
    /// do not fit.
    private func fitted(_ natural: [Int], to room: Int, _ titles: [String]) -> [Int]? {
        let gaps = Self.gap * max(0, columns.count - 1)
        let total = { (widths: [Int]) in widths.reduce(gaps, +) }
        guard total(natural) > room else { return natural }
        let least = widths(titles, WrappedText.longestWord)
        guard total(least) <= room else { return nil }
        var widths = natural
        while total(widths) > room {
            let narrowable = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = narrowable.max(by: { widths[$0] < widths[$1] }) else { return nil }
            widths[widest] -= 1
        }
        return widths
    }

    /// Renders a row as one line, or as several if cells wrap.
    private func lines(_ cells: [String], _ widths: [Int]) -> [String] {
        let wrapped = zip(cells, widths).map(WrappedText.lines)
        return (0..<(wrapped.map(\.count).max() ?? 0)).map { number in
            line(wrapped.map { number < $0.count ? $0[number] : "" }, widths)
        }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(cell)))
            line += columns[index].alignment == .left ? cell + padding : padding + cell
            line += String(repeating: " ", count: Self.gap)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Renders a block per row: a line for each cell that is not empty.
    private func blocks(_ titles: [String], on terminal: Terminal) -> String {
        let width = titles.map(DisplayWidth.of).max() ?? 0
        return rows.map { row in
            zip(titles, row).filter { !$0.1.isEmpty }.map { title, cell in
                let padding = String(repeating: " ", count: width - DisplayWidth.of(title) + Self.gap)
                return Style.quiet.apply(title, on: terminal) + padding + cell + "\n"
            }.joined()
        }.joined(separator: "\n")
    }
}

/// Breaks text between words.
enum WrappedText {
    /// Returns the lines of a text, none wider than `width` unless one word is. At least one, maybe empty, line.
    static func lines(_ text: String, width: Int) -> [String] {
        guard DisplayWidth.of(text) > width else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if !line.isEmpty, DisplayWidth.of(longer) > width {
                lines.append(line)
                line = String(word)
            } else {
                line = longer
            }
        }
        return lines + [line]
    }

    /// The width of the longest word of a text.
    static func longestWord(_ text: String) -> Int {
        text.split(separator: " ").map { DisplayWidth.of(String($0)) }.max() ?? 0
    }
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
