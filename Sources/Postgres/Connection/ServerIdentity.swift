/// Names a server's history: the cluster that `initdb` made, and the timeline that its last promotion began.
///
/// All copies of a cluster made by replication share its system identifier. A promotion begins a new timeline, so of two
/// copies the one with the higher timeline is the newer primary. Timelines of different clusters cannot be compared.
public struct ServerIdentity: Sendable, Hashable {
    /// The cluster's `system_identifier`.
    public let system: Int64
    /// The timeline that the server writes, from 1.
    public let timeline: Int64

    /// Each parameter sets the property of the same name.
    public init(system: Int64, timeline: Int64) {
        self.system = system
        self.timeline = timeline
    }

    /// Parses what ``description`` gives; `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let system = Int64(parts[0]), let timeline = Int64(parts[1]), timeline > 0 else {
            return nil
        }
        self.init(system: system, timeline: timeline)
        guard description == text else { return nil }
    }
}

extension ServerIdentity: CustomStringConvertible {
    /// The system identifier and the timeline with a slash between them.
    public var description: String { "\(system)/\(timeline)" }
}

/// What was seen of a server just after connecting.
struct SeenServer: Equatable {
    var identity: ServerIdentity
    /// Whether it is a standby. Nothing can be written to it, so it is never refused, and its timeline is not
    /// remembered.
    var isInRecovery = false
    /// How much it has recorded; `nil` if that cannot be read, as before the first migration.
    var progress: Int64?
}

/// Remembers the newest timeline of each cluster and the progress that a server must have, and judges servers by them.
struct ServerMemory {
    enum Verdict: Equatable {
        case current
        /// A newer timeline of the same cluster was seen.
        case olderTimeline(newest: Int64)
        /// It lacks something that was recorded.
        case lacksProgress(required: Int64)
    }

    /// The primary that was admitted last, if any.
    private(set) var newest: ServerIdentity?
    private(set) var progress: Int64
    private var timelines: [Int64: Int64] = [:]

    init(newest: ServerIdentity? = nil, progress: Int64 = 0) {
        self.newest = newest
        self.progress = progress
        if let newest { timelines[newest.system] = newest.timeline }
    }

    /// Judges a server, and remembers it if it is a primary that is not behind.
    mutating func judge(_ seen: SeenServer) -> Verdict {
        guard !seen.isInRecovery else { return .current }
        let identity = seen.identity
        if let known = timelines[identity.system], identity.timeline < known { return .olderTimeline(newest: known) }
        if let own = seen.progress, own < progress { return .lacksProgress(required: progress) }
        timelines[identity.system] = identity.timeline
        newest = identity
        return .current
    }

    /// Requires at least this progress of every server from now on.
    mutating func require(progress required: Int64) { progress = max(progress, required) }

    /// Whether no newer timeline of the same cluster was seen.
    func isCurrent(_ identity: ServerIdentity) -> Bool {
        timelines[identity.system].map { $0 <= identity.timeline } ?? true
    }
}
