import Foundation

/// What one actor of a randomised run does next, and to whom.
///
/// It follows from the seed alone, whatever the run makes of it: who is meant by a number depends on who is there by then.
struct PlannedStep: Sendable, Equatable {
    /// The kinds of steps; the number is how often one is taken, of a hundred.
    enum Kind: Int, Sendable, CaseIterable {
        /// Somebody new.
        case register = 34
        /// A second account of somebody, at another company.
        case registerAgain = 7
        case authorize = 17
        case logIn = 15
        /// A wrong passphrase from an unknown device.
        case guess = 12
        case changeCredentials = 6
        case reclaim = 5
        case erase = 4
    }

    var kind: Kind
    /// Which process is asked.
    var process: Int
    /// Whom it is about.
    var person: Int
    /// At which company, for somebody new.
    var company: Int
}

/// The steps of one actor.
struct StepPlan: Sequence, IteratorProtocol {
    private var random: Seeded

    init(seed: UInt64, actor: Int) { random = Seeded(seed &+ UInt64(actor)) }

    mutating func next() -> PlannedStep? {
        var rest = Int.random(in: 0..<100, using: &random)
        var kind = PlannedStep.Kind.register
        for candidate in PlannedStep.Kind.allCases {
            kind = candidate
            rest -= candidate.rawValue
            if rest < 0 { break }
        }
        return PlannedStep(
            kind: kind, process: Int.random(in: 0..<2, using: &random),
            person: Int.random(in: 0..<1_000, using: &random),
            company: Int.random(in: 0..<1_000, using: &random))
    }
}

/// One thing that is broken on purpose.
struct PlannedDisturbance: Sendable, Equatable {
    /// The kinds of damage.
    enum Kind: Sendable, CaseIterable {
        case processKilled
        /// The server ends some of its sessions.
        case sessionsEnded
        /// Connections end without a word.
        case connectionsCut
        /// A COMMIT does not reach the server.
        case commitLost
        /// The answer to a COMMIT does not come back.
        case answerLost
        /// One of the server's processes is killed, and the server ends all sessions and recovers.
        case backendKilled
        /// The whole server ends without a checkpoint.
        case serverStopped
        /// All processes of the server are killed.
        case serverKilled
    }

    var kind: Kind
    /// How long before it everything is left alone, in milliseconds.
    var pause: Int
    /// Which process, or which sessions.
    var number: Int
}

/// Damage after damage: all kinds in an order by chance, and then all kinds again.
struct DisturbancePlan: Sequence, IteratorProtocol {
    private var random: Seeded
    private var deck: [PlannedDisturbance.Kind] = []

    init(seed: UInt64) { random = Seeded(seed &- 1) }

    mutating func next() -> PlannedDisturbance? {
        if deck.isEmpty { deck = PlannedDisturbance.Kind.allCases.shuffled(using: &random) }
        return PlannedDisturbance(
            kind: deck.removeLast(), pause: Int.random(in: 200...1_000, using: &random),
            number: Int.random(in: 0..<1_000, using: &random))
    }
}

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

    /// Whether somebody asked for a run.
    static let isWanted = ProcessInfo.processInfo.environment["TENURE_SOAK_SECONDS"] != nil

    /// How long a run lasts, in seconds: `TENURE_SOAK_SECONDS`, 12 unless set, at most an hour.
    static let seconds = min(
        3_600, ProcessInfo.processInfo.environment["TENURE_SOAK_SECONDS"].flatMap { Int($0) } ?? 12)
}
