/// Rows in aligned columns, two spaces apart, without lines around them.
struct Table: Sendable {
    /// On which side a column's texts stand.
    enum Alignment: Sendable { case left, right }

    /// The head of one column.
    struct Column: Sendable {
        var title: String
        var alignment: Alignment = .left
    }

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; missing cells are empty, and what a terminal would obey is written out.
    mutating func add(_ cells: [String]) {
        rows.append((0..<columns.count).map { $0 < cells.count ? Printable.text(cells[$0]) : "" })
    }

    /// The table with one line per row, each ending in a line feed and none in a space.
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
