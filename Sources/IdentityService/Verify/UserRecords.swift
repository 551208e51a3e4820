import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Compares the user keys of one company's validations with the records in their users' streams.
///
/// The streams are read instead of the directories: those hold everybody who shares the first byte of an id. Records are
/// verified by their signatures and as a chain; that they are all there is, and what was sealed, is told by a verification
/// of everything.
struct UserRecords: Sendable {
    /// How many streams are read at once.
    private static let step = 500
    private let reader: LedgerReader

    /// Compares over a pool of the reader role.
    init(pool: PostgresPool) { reader = LedgerReader(pool: pool, storesTiles: false) }

    /// What is wrong with the records, and the validations that have none.
    ///
    /// - Throws: ``LedgerError`` when the database cannot be read; never for what is in it.
    func violations(of validated: ValidatedKeys) async throws -> [Violation] {
        var left = validated
        var violations: [Violation] = []
        let users = validated.users.sorted { $0.uuidString < $1.uuidString }
        for start in stride(from: 0, to: users.count, by: Self.step) {
            let streams = users[start..<min(start + Self.step, users.count)].map { StreamID.user(UserID($0)) }
            for (stream, events) in try await read(streams, &violations) {
                var trail = CredentialTrail()
                for event in events {
                    let found = [left.match(event), EventSignatures.violation(event), trail.follow(event)]
                        .compactMap { $0 }
                    violations += found.map {
                        Violation(.signature, ledger: stream.ledger, position: event.position, $0)
                    }
                }
            }
        }
        return violations + left.violations
    }

    /// Reads streams; one that holds bytes which are no entries is a finding and does not keep others from being read.
    private func read(
        _ streams: [StreamID], _ violations: inout [Violation]
    ) async throws -> [StreamID: [RecordedEvent]] {
        do { return try await reader.streams(streams) } catch {
            guard error.code == .invalidEntry else { throw error }
            guard streams.count > 1 else {
                violations += streams.map { Violation(.entry, ledger: $0.ledger, "a user's stream cannot be read") }
                return [:]
            }
            var events: [StreamID: [RecordedEvent]] = [:]
            for stream in streams {
                events.merge(try await read([stream], &violations)) { first, _ in first }
            }
            return events
        }
    }
}
