import CLibPQ

extension Session {
    /// Single-row mode: see ``PostgresConnection/forEachRow(_:_:)``.
    func forEachRow(_ sql: SQL, _ body: (PostgresRow) throws -> Void) async throws {
        var failure: (any Error)?
        let stop = StopRequest()
        do throws(PostgresError) {
            try await stream(sql, isSingleRow: true, stop: stop) { (result: QueryResult) in
                guard failure == nil else { return }
                do { for row in result.rows { try body(row) } } catch {
                    failure = error
                    stop.isRequested = true
                }
            }
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// Set by a body that wants no more rows.
    final class StopRequest { var isRequested = false }
}
