import Canonical
@testable import Identity
import Ledger
import Logging
import Postgres
import TestSupport
import Testing

@testable import Projections

/// A database with an appender and pools of both roles.
struct Stage: Sendable {
    let database: TestDatabase
    let appender: Appender
    /// Of the application role.
    let pool: PostgresPool
    /// Of the reader role.
    let readers: PostgresPool

    var views: Views { Views(pool: pool) }
    var reader: LedgerReader { LedgerReader(pool: readers, storesTiles: false) }
    var rebuild: Rebuild { Rebuild(pool: readers, codes: .test, logger: TestServer.logger()) }

    static func run<Result: Sendable>(
        on url: String? = nil, _ body: (Stage) async throws -> Result
    ) async throws -> Result {
        try await TestDatabase.with(on: try url ?? TestServer.requireURL()) { database in
            try await database.withPool(as: .reader, maximumConnections: 8) { readers in
                try await database.withAppender { appender, pool in
                    try await body(Stage(database: database, appender: appender, pool: pool, readers: readers))
                }
            }
        }
    }

    /// Appends the events of a script from an index on, one append each.
    func append(_ script: CompanyScript, from index: Int = 0) async throws {
        for item in script.events.dropFirst(index) {
            _ = try await appender.append(
                Append(
                    events: [item.event], expectations: [item.event.stream: item.version - 1], time: item.time))
        }
    }

    /// Appends a script from an index on with few commits.
    func appendAtOnce(_ script: CompanyScript, from index: Int = 0) async throws {
        var start = index
        while start < script.events.count {
            let items = script.events[start..<min(start + 200, script.events.count)]
            var expectations: [StreamID: Int] = [:]
            for item in items where expectations[item.event.stream] == nil {
                expectations[item.event.stream] = item.version - 1
            }
            _ = try await appender.append(
                Append(events: items.map(\.event), expectations: expectations, time: items.first?.time ?? .now()))
            start += 200
        }
    }

    /// Runs a projector beside `body`; it is killed at the end, not asked to stop.
    func following<Result: Sendable>(
        pageSize: Int = 500, takesTurns: Bool = true, retryPause: Duration = Projector.retryPause,
        _ body: (Projector) async throws -> Result
    ) async throws -> Result {
        let projector = Projector(
            pool: readers, codes: .test, logger: TestServer.logger(), pageSize: pageSize, takesTurns: takesTurns,
            retryPause: retryPause)
        let running = Task { try await projector.run() }
        do {
            let result = try await body(projector)
            running.cancel()
            try await running.value
            return result
        } catch {
            running.cancel()
            throw error
        }
    }

    /// Waits until the views have taken all events of a script.
    func settle(_ script: CompanyScript, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let position = Int64(script.events.count)
        let arrived = try await views.wait(for: position, of: script.tenant, patience: .seconds(60))
        try #require(arrived, sourceLocation: sourceLocation)
    }

    /// Holds the live rows against a fold of the recorded log.
    func expectEqual(_ tenant: TenantID, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let state = try await StateAt(reader: reader.checking(.unchecked)).company(tenant)
        let (compared, differences) = try await LiveViews(pool: readers).compare(state, of: tenant)
        #expect(compared == Set(ProjectionName.all), sourceLocation: sourceLocation)
        #expect(differences == [], sourceLocation: sourceLocation)
    }

    /// The first column of a query of the superuser, as text.
    func text(_ sql: SQL) async throws -> [String?] {
        var connection = try await database.connect(as: .superuser)
        return try await connection.query(sql).map { try $0.decode(column: 0, as: String?.self) }
    }

    /// Runs a statement of the superuser.
    @discardableResult
    func execute(_ sql: SQL) async throws -> Int {
        var connection = try await database.connect(as: .superuser)
        return try await connection.execute(sql)
    }
}
