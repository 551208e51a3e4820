import Canonical

/// The latest time that was sent to each of the ledgers written to last.
///
/// Raising times before an append is asked for saves a round trip; what decides is the time in the head of the ledger.
struct LatestTimes {
    /// So many ledgers are remembered; then all are forgotten, which costs a few round trips.
    private static let capacity = 8_192

    private var times: [LedgerID: Timestamp] = [:]

    /// Lets no time run backwards within a ledger, over the batch and from one batch to the next.
    mutating func raise(_ batch: inout [PreparedAppend]) {
        if times.count > Self.capacity { times = [:] }
        for index in batch.indices {
            let events = batch[index].append.events
            var time = batch[index].time
            for event in events { time = max(time, times[event.stream.ledger] ?? time) }
            if time > batch[index].time { batch[index].setTime(time) }
            for event in events { times[event.stream.ledger] = time }
        }
    }
}
