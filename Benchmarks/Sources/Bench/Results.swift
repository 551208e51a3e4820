/// The values of all repetitions.
struct Results: Sendable {
    private let pairedMeasures: [PairedMeasure]
    private let measures: [Measure]
    private var paired: [PairedMeasure: Pairs] = [:]
    private var repetitions: [[Measure: Double]] = []
    private var current: [Measure: Double] = [:]

    /// Results of these measures, which are the rows of the tables; one that is never recorded has no row.
    init(pairs: [PairedMeasure], measures: [Measure]) {
        (pairedMeasures, self.measures) = (pairs, measures)
    }

    /// Takes pairs of the repetition that is running.
    mutating func record(_ measure: PairedMeasure, _ pairs: Pairs) {
        paired[measure, default: Pairs()].kept += pairs.kept
        paired[measure, default: Pairs()].thrownAway += pairs.thrownAway
    }

    /// Takes one value of the repetition that is running.
    mutating func record(_ measure: Measure, _ value: Double) { current[measure] = value }

    mutating func endRepetition() {
        repetitions.append(current)
        current = [:]
    }

    /// The ratios of processor times.
    var pairsTable: Table {
        var table = Table(
            head: ["processor time", "unit", "base", "median", "ratio", "95 %", "", "kept", "out", "of"],
            textColumns: [0, 1, 9])
        for measure in pairedMeasures {
            guard let pairs = paired[measure], pairs.kept.count + pairs.thrownAway > 0 else { continue }
            let medians = [Spread(pairs.kept.map(\.base)), Spread(pairs.kept.map(\.measured))].map { $0?.median }
            let ratios = [pairs.ratio, pairs.interval?.lowerBound, pairs.interval?.upperBound]
            table.rows.append(
                [measure.title, measure.unit] + medians.map { $0.map(Table.number) ?? "" }
                    + ratios.map { $0.map(Table.fraction) ?? "" }
                    + [String(pairs.kept.count), String(pairs.thrownAway), measure.base])
        }
        return table
    }

    /// One row for each measure. A ratio is made within a repetition; its median is not that of the values.
    var table: Table {
        var table = Table(
            head: ["for information", "unit", "median", "min", "max", "ratio", "min", "max", "goal", "", "ratio to"],
            textColumns: [0, 1, 9, 10])
        for measure in measures {
            guard let values = Spread(repetitions.compactMap { $0[measure] }) else { continue }
            let base = measures.first { $0.title == measure.base }
            let ratios = base.flatMap { base in Spread(repetitions.compactMap { ratio(measure, base, in: $0) }) }
            table.rows.append(
                [measure.title, measure.unit] + values.cells { Table.number($0) }
                    + (ratios?.cells { Table.fraction($0) } ?? ["", "", ""])
                    + goal(of: measure, ratios?.median ?? values.median) + [base?.title ?? ""])
        }
        return table
    }

    /// The rows of some measures, for a program.
    func rows(of measures: [PairedMeasure]) -> [MeasuredRow] {
        measures.compactMap { measure in paired[measure].map { MeasuredRow(measure, $0) } }
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
struct Spread: Sendable {
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
