import Ledger
import Projections

/// Appends, and tells the projector of this process that a view has something to read.
///
/// The nudge only shortens the time until the views follow; the projector's polling is what they depend on. For events that
/// no view takes, such as those of a log-in, nobody is nudged: a pass over the positions of many companies costs less than
/// many passes, and who waits for a position nudges for itself.
struct NudgingAppender: Appending {
    let appender: Appender
    let nudge: @Sendable () -> Void

    func append(_ append: Append) async throws(LedgerError) -> Appended {
        let appended = try await appender.append(append)
        if append.events.contains(where: { Views.take($0.type) }) { nudge() }
        return appended
    }
}
