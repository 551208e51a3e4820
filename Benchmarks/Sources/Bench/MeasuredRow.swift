/// A ratio of processor times as `scripts/bench-runs` reads it.
struct MeasuredRow: Encodable, Sendable {
    /// The median, with the ends of its interval if there are pairs enough.
    struct Ratio: Encodable, Sendable {
        let median: Double
        let least: Double?
        let most: Double?
    }

    let name: String
    let unit: String
    let base: String
    let pairs: Int
    let thrownAway: Int
    /// Missing if every pair was thrown away.
    let ratio: Ratio?

    init(_ measure: PairedMeasure, _ measured: Pairs) {
        (name, unit, base) = (measure.title, measure.unit, measure.base)
        (pairs, thrownAway) = (measured.kept.count, measured.thrownAway)
        let interval = measured.interval
        ratio = measured.ratio.map {
            Ratio(median: $0, least: interval?.lowerBound, most: interval?.upperBound)
        }
    }
}
