import Ledger

/// Appends, and tells the projector of this process that there is something to read.
///
/// The nudge only shortens the time until the views follow; the projector's polling is what they depend on.
struct NudgingAppender: Appending {
    let appender: Appender
    let nudge: @Sendable () -> Void

    func append(_ append: Append) async throws(LedgerError) -> Appended {
        let appended = try await appender.append(append)
        nudge()
        return appended
    }
}
