import Canonical

/// Judges whether a statement had expired when its event was appended.
///
/// The append refuses what is too late. Verification is less strict, because the clocks of signer and service may have
/// differed, and an append may have raised the event's time to that of its ledger's last event.
enum StatementExpiry {
    /// What is wrong with an event whose statement had expired.
    static let words = "the statement had expired"
    /// The time for which a statement is valid.
    static let lifetime = Duration.seconds(900)
    /// The tolerance for the clocks of different processes.
    private static let grace = Duration.seconds(900)

    /// Whether a statement had certainly expired.
    ///
    /// A signer whose clock was slow named too early an expiry. But nobody signs before the events that the statement
    /// names, so it was valid for its lifetime after these.
    ///
    /// - Parameters:
    ///   - expires: The expiry that the statement names.
    ///   - seen: The time of the last event that the signer saw; `nil` if it is unknown.
    ///   - earliest: The earliest time at which the event may have been appended; `nil` if it is unknown.
    static func hasPassed(_ expires: Timestamp, seen: Timestamp?, at earliest: Timestamp?) -> Bool {
        guard let earliest else { return false }
        return max(expires, seen?.adding(lifetime) ?? expires).adding(grace) < earliest
    }
}
