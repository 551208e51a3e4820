import Foundation

/// Rows of text in aligned columns.
struct Table: Sendable, CustomStringConvertible {
    let head: [String]
    /// The columns that are aligned to the left.
    let textColumns: Set<Int>
    var rows: [[String]] = []

    init(head: [String], textColumns: Set<Int>) {
        self.head = head
        self.textColumns = textColumns
    }

    var description: String {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([head, rule] + rows).map { line($0, widths) }.joined(separator: "\n")
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        let cells = row.enumerated().map { column, text in
            let padding = String(repeating: " ", count: widths[column] - text.count)
            return textColumns.contains(column) ? text + padding : padding + text
        }
        return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }

    /// Three digits or more: nothing here is known better.
    static func number(_ value: Double) -> String { String(format: value < 99.95 ? "%.1f" : "%.0f", value) }

    /// As it was set: without digits that nobody set.
    static func goal(_ value: Double) -> String {
        value < 100 ? String(format: "%.2g", value) : String(format: "%.0f", value)
    }

    static func fraction(_ value: Double) -> String { String(format: value < 0.095 ? "%.3f" : "%.2f", value) }
}
