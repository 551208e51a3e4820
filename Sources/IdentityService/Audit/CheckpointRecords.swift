import EventCoding
import Identity
import Ledger

/// Reads what the system ledger records of checkpoints into a ``SealMemory``.
///
/// A process begins with the newest records, and reads older ones as far as somebody needs them. A record is what the
/// reader returns.
struct CheckpointRecords: Sendable {
    /// The number of events in one read; each names up to 400 ledgers.
    private static let page = 100
    /// How many pages of older records are read without need, and how many for one ledger in a round.
    private static let pagesBack = 50, pagesAtOnce = 100

    let reader: LedgerReader
    let memory: SealMemory

    /// Reads the records up to a version of their stream, and a page of older ones.
    func follow(to version: Int) async throws {
        guard let read = memory.records else {
            let after = max(version - Self.page, 0)
            try await take(after: after, limit: version - after)
            return memory.read(records: (after, version))
        }
        var last = read.to
        while last < version {
            let limit = min(version - last, Self.page)
            try await take(after: last, limit: limit)
            last += limit
        }
        if last > read.to { memory.read(records: (read.after, last)) }
        if memory.readsBack(atMost: Self.pagesBack) { try await goBack() }
    }

    /// Returns the newest record of a ledger; `nil` if there is none.
    ///
    /// - Throws: ``SealFault`` if the search is not over yet. The next call goes on with it.
    func find(_ ledger: LedgerID) async throws -> SealMemory.Sealed? {
        for _ in 0..<Self.pagesAtOnce {
            if let sealed = memory.sealed(ledger) { return sealed }
            guard try await goBack() else { return nil }
        }
        throw SealFault(reason: "its checkpoint is not valid, and the last one that is recorded was not found yet")
    }

    /// Reads one page of older records; `false` if there is none.
    @discardableResult
    private func goBack() async throws -> Bool {
        guard let read = memory.records, read.after > 0 else { return false }
        let after = max(read.after - Self.page, 0)
        try await take(after: after, limit: read.after - after)
        memory.read(records: (after, read.to))
        return true
    }

    private func take(after version: Int, limit: Int) async throws {
        guard limit > 0 else { return }
        for event in try await reader.stream(.checkpoints, after: version, limit: limit) {
            guard let sealed = try EventCodec.payload(of: event) as? CheckpointSealed else { continue }
            for one in sealed.checkpoints {
                memory.learn(.init(size: one.size, root: one.root.bytes), of: LedgerID(one.ledger))
            }
        }
    }
}

/// The reason why a ledger is left out of a round, in one clause without data.
struct SealFault: Error {
    let reason: String
}
