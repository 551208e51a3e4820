import Foundation

/// Numbers that follow from a seed (SplitMix64), so that a run can be had again as far as two processes allow.
struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The seed of this run: `TENURE_SOAK_SEED`, or a random one.
    static let chosen: UInt64 =
        ProcessInfo.processInfo.environment["TENURE_SOAK_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)

    /// How long a run lasts, in seconds: `TENURE_SOAK_SECONDS`, 12 unless set, at most an hour.
    static let seconds = min(
        3_600, ProcessInfo.processInfo.environment["TENURE_SOAK_SECONDS"].flatMap { Int($0) } ?? 12)
}
