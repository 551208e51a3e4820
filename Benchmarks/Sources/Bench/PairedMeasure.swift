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

    /// Measures two pairs. A pair during which too much time was stolen is thrown away and measured once more.
    ///
    /// - Parameters:
    ///   - base: Measures the base once; `nil` where the system does not tell.
    ///   - measured: Measures the other half once.
    func pairs(base: () async throws -> Double?, measured: () async throws -> Double?) async throws -> Pairs {
        var pairs = Pairs()
        for isReversed in [false, true] {
            for _ in 0..<2 {
                let start = MachineTime()
                let first = try await isReversed ? measured() : base()
                let second = try await isReversed ? base() : measured()
                guard let first, let second, min(first, second) > 0 else { return pairs }
                let stolen = MachineTime().stolen(since: start)
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
    /// Whatever their distribution, each ratio is above the true median with a probability of one half. The interval
    /// misses that median if fewer than k of n ratios are above it or fewer than k below it, which is a sum of binomial
    /// probabilities. k is the greatest number for which it is at most 5 %; there is none below six pairs.
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
}

/// The time of all processors since the machine started, in ticks; without `/proc` nothing counts as stolen.
private struct MachineTime {
    // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
    private let fields = ((try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? "").prefix { $0 != "\n" }
        .split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }

    /// The part of the time since then that was stolen.
    func stolen(since start: MachineTime) -> Double {
        let passed = zip(fields, start.fields).map { $0 - $1 }
        return passed.count < 8 ? 0 : passed[7] / max(passed.reduce(0, +), 1)
    }
}
