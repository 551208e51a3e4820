import Foundation

/// One row of the table as `scripts/bench-runs` reads it.
struct MeasuredRow: Encodable, Sendable {
    let name: String
    let unit: String
    /// Whether more of the unit is better, as with rates; less is better with times and memory.
    let moreIsBetter: Bool
    let value: Spread
    /// The title of the row that it is divided by, and the ratio.
    let base: String?
    let ratio: Spread?

    init(_ measure: Measure, _ value: Spread, ratio: Spread?) {
        name = measure.title
        unit = measure.unit
        moreIsBetter = measure.moreIsBetter
        self.value = value
        base = ratio == nil ? nil : measure.base
        self.ratio = ratio
    }
}

/// The rows of all parts that a run measured.
struct MeasuredParts: Encodable, Sendable {
    var parts: [String: [MeasuredRow]] = [:]

    /// Writes them into a file.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}
