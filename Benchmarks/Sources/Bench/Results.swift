/// The values of all repetitions.
struct Results: Sendable {
    private let measures: [Measure]
    private var repetitions: [[Measure: Double]] = []
    private var current: [Measure: Double] = [:]

    /// Results of these measures, which are the rows of the table; one that is never recorded has no row.
    init(measures: [Measure]) { self.measures = measures }

    /// Takes one value of the repetition that is running.
    mutating func record(_ measure: Measure, _ value: Double) { current[measure] = value }

    mutating func endRepetition() {
        for measure in measures {
            guard let original = measures.first(where: { $0.title == measure.original }) else { continue }
            current[measure] = current[original]
        }
        repetitions.append(current)
        current = [:]
    }

    /// One row for each measure. A ratio is made within a repetition; its median is not that of the values.
    var table: Table {
        var table = Table(
            head: ["", "unit", "median", "min", "max", "ratio", "min", "max", "goal", "", "ratio to"],
            textColumns: [0, 1, 9, 10])
        for measure in measures {
            guard let values = spread(of: measure) else { continue }
            var row = [measure.title, measure.unit] + values.cells { Table.number($0) }
            let base = base(of: measure), ratios = ratios(of: measure)
            row += ratios?.cells { Table.fraction($0) } ?? ["", "", ""]
            row += goal(of: measure, ratios?.median ?? values.median) + [base?.title ?? ""]
            table.rows.append(row)
        }
        return table
    }

    /// The rows of some measures, for a program.
    func rows(of measures: [Measure]) -> [MeasuredRow] {
        measures.compactMap { measure in
            spread(of: measure).map { MeasuredRow(measure, $0, ratio: ratios(of: measure)) }
        }
    }

    private func spread(of measure: Measure) -> Spread? { Spread(repetitions.compactMap { $0[measure] }) }

    private func base(of measure: Measure) -> Measure? { measures.first { $0.title == measure.base } }

    private func ratios(of measure: Measure) -> Spread? {
        base(of: measure).flatMap { base in Spread(repetitions.compactMap { ratio(measure, base, in: $0) }) }
    }

    private func goal(of measure: Measure, _ value: Double) -> [String] {
        let text =
            switch measure.goal {
            case .atLeast(let least)?: "≥ " + Table.goal(least)
            case .atMost(let most)?: "≤ " + Table.goal(most)
            case nil: ""
            }
        return [text, measure.goal.map { $0.isReached(by: value) ? "reached" : "missed" } ?? ""]
    }

    private func ratio(_ measure: Measure, _ base: Measure, in values: [Measure: Double]) -> Double? {
        guard let value = values[measure], let divisor = values[base], divisor > 0 else { return nil }
        return value / divisor
    }
}

/// Median and extremes of some values.
struct Spread: Encodable, Sendable {
    let median: Double
    let least: Double
    let most: Double

    /// Nil when there are none.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        least = first
        most = last
    }

    func cells(_ text: (Double) -> String) -> [String] { [text(median), text(least), text(most)] }
}
