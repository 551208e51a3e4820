import Canonical
import EventCoding
import Foundation
import Identity
import Testing

@testable import IdentityService
@testable import Ledger

/// How far a list of failed attempts looks back.
@Suite struct FailedAttemptsTests {
    private static let hour: Int64 = 3_600_000_000
    /// The first event happens here; the others follow a second apart.
    private let start = Timestamp(microseconds: 400_000 * hour + 1)

    private func event(_ position: Int64) -> RecordedEvent {
        RecordedEvent(
            position: position, id: UUID(), stream: .attempt(UUID(), of: UserID(UUID())), streamVersion: 1,
            type: "AttemptCharged", schema: 1, time: start.adding(.seconds(position - 1)), actor: nil, app: nil,
            requestId: nil, source: nil, causes: [], data: .object([:]), entry: [],
            leaf: [UInt8](repeating: 1, count: 32))
    }

    /// Reads the end of a ledger of so many events, two pages at most.
    private func recent(of size: Int64, since earliest: Timestamp) async throws -> (read: [Int64], since: Timestamp?) {
        let found = try await FailedAttempts.recent(from: size, since: earliest, pages: 2) { position in
            // A page may have what was recorded after the size was read.
            (position..<min(position + 500, size + 3)).map { event($0 + 1) }
        }
        return (found.events.map(\.position), found.since)
    }

    @Test func `says from when it is complete if the count of events ended it`() async throws {
        let before = start.adding(.seconds(-1))
        for size in [Int64(0), 1, 500, 1_000] {
            let whole = try await recent(of: size, since: before)
            #expect(whole.read == Array(1..<size + 1) && whole.since == nil, "\(size)")
        }
        let cut = try await recent(of: 1_001, since: before)
        #expect(cut.read == Array(2...1_001))
        // The hour does not say how much other people do.
        #expect(cut.since == Timestamp(microseconds: 400_001 * Self.hour))
        // What is older is left out in any case.
        let aged = try await recent(of: 1_001, since: start.adding(.seconds(2)))
        #expect(aged.read == Array(3...1_001) && aged.since == nil)
    }
}
