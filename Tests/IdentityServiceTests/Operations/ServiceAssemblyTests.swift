import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport
@testable import IdentityService
@testable import Keys
@testable import TenureServer

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct NudgingAppenderTests {
    /// How often an append of one event of each type makes the projector look.
    private func nudges(_ types: [String]) async throws -> [Int] {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, _ in
                let count = Lock(0)
                let nudging = NudgingAppender(appender: appender) { count.withLock { $0 += 1 } }
                var nudges: [Int] = []
                for type in types {
                    _ = try await nudging.append(.test(.test(), type: type))
                    nudges.append(
                        count.withLock { count in
                            defer { count = 0 }
                            return count
                        })
                }
                return nudges
            }
        }
    }

    @Test func `a log-in's events do not nudge the projector`() async throws {
        let types = ["AnswersValidated", "PassphraseValidated", "AttemptsCleared", "SessionOpened"]
        #expect(try await nudges(types) == types.map { _ in 0 })
    }

    @Test func `an event of a projection nudges once, and so does an unknown event`() async throws {
        let types = [
            "EmployeeRegistered", "EmployeeKeyPresented", "EmployeeKeyAuthorized", "EmployeeCancelled",
            "SecurityAdminSucceeded", "NobodyKnowsThis",
        ]
        #expect(try await nudges(types) == types.map { _ in 1 })
    }

    @Test func `an append with one projected event nudges once, and a refused one never`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, _ in
                let count = Lock(0)
                let nudging = NudgingAppender(appender: appender) { count.withLock { $0 += 1 } }
                let stream = StreamID.test()
                let session = NewEvent(id: UUID(), stream: stream, type: "SessionOpened", data: [:])
                let registered = NewEvent(id: UUID(), stream: stream, type: "EmployeeRegistered", data: [:])
                let both = Append(events: [session, registered], expectations: [stream: 0], time: .now())
                _ = try await nudging.append(both)
                #expect(count.withLock { $0 } == 1)
                await #expect(throws: LedgerError.self) {
                    try await nudging.append(.test(stream, expecting: 0, type: "EmployeeRegistered"))
                }
                #expect(count.withLock { $0 } == 1)
            }
        }
    }
}

/// The fixed ledgers that the keys look into before first keys are made.
@Suite struct WrittenLogTests {
    @Test func `are those of the log`() {
        #expect(WrittenLog.ledgers == ([.system] + LedgerID.directories).map(\.uuid))
    }
}
