import Foundation

/// A row of the first table: processor time of the program and the server, divided by that of a base.
///
/// Both are measured in short pairs in the order base, measured, measured, base. What slows the machine down for a while
/// slows down both halves of a pair, and neither half always comes first.
struct PairedMeasure: Hashable, Sendable {
    /// How much of the machine's time may be stolen by its host during a pair.
    private static let stolenAtMost = 0.02

    let title: String
    /// The unit of both halves, such as `µs an event`.
    let unit: String
    /// What the base is.
    let base: String
    /// The aim of the ratio.
    let goal: Measure.Goal?

    init(_ title: String, unit: String, against base: String, goal: Measure.Goal? = nil) {
        (self.title, self.unit, self.base, self.goal) = (title, unit, base, goal)
    }

    /// Measures two pairs. A pair during which too much time was stolen is thrown away and measured once more.
    ///
    /// - Parameters:
    ///   - base: Measures the base once; `nil` where the system does not tell.
    ///   - measured: Measures the other half once.
    func pairs(base: () async throws -> Double?, measured: () async throws -> Double?) async throws -> Pairs {
        var pairs = Pairs()
        for isReversed in [false, true] {
            for _ in 0..<2 {
                let start = MachineTime.now()
                let first = try await isReversed ? measured() : base()
                let second = try await isReversed ? base() : measured()
                guard let first, let second, min(first, second) > 0 else { return pairs }
                let stolen = MachineTime.now().stolen(since: start)
                if stolen <= Self.stolenAtMost {
                    pairs.kept.append(isReversed ? (second, first) : (first, second))
                    break
                }
                pairs.thrownAway += 1
                Terminal.say("thrown away, \(Table.number(stolen * 100)) % of the time was stolen: \(title)")
            }
        }
        return pairs
    }
}

/// Pairs of one measure.
struct Pairs: Sendable {
    var kept: [(base: Double, measured: Double)] = []
    var thrownAway = 0

    /// The median of the ratios; `nil` if no pair was kept.
    var ratio: Double? { Spread(ratios)?.median }

    /// The 95 % interval of the median ratio: the kth least and the kth greatest of the ratios (order statistics).
    ///
    /// The true median lies below all but k − 1 of n ratios, or above, as seldom as fewer than k of n coins show heads,
    /// however the ratios are distributed. k is the greatest number for which both together have at most 5 %. There is
    /// none below six pairs, and then no interval.
    var interval: ClosedRange<Double>? {
        let sorted = ratios.sorted(), count = sorted.count
        var rank = 0, chance = pow(0.5, Double(count)), tail = chance
        while 2 * tail <= 0.05 {
            rank += 1
            chance *= Double(count - rank + 1) / Double(rank)
            tail += chance
        }
        return rank == 0 ? nil : sorted[rank - 1]...sorted[count - rank]
    }

    private var ratios: [Double] { kept.map { $0.measured / $0.base } }

    mutating func add(_ more: Pairs) {
        kept += more.kept
        thrownAway += more.thrownAway
    }
}

/// The time of all processors since the machine started, in ticks; without `/proc` nothing counts as stolen.
private struct MachineTime {
    let all: Double
    let stolen: Double

    static func now() -> MachineTime {
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
        let fields = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        return MachineTime(all: fields.reduce(0, +), stolen: fields.count == 8 ? fields[7] : 0)
    }

    func stolen(since start: MachineTime) -> Double { (stolen - start.stolen) / max(all - start.all, 1) }
}
