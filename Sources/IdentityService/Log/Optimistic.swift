import Ledger

/// Loads, decides and appends again when somebody else was faster.
///
/// Every append names exact versions, so a state that grew old can only lead here, never to a wrong decision.
///
/// - Parameter attempts: How often at most; the last conflict becomes `request.stale`.
func optimistic<Result>(attempts: Int = 8, _ body: () async throws -> Result) async throws -> Result {
    for attempt in 1... {
        do {
            return try await body()
        } catch let error as LedgerError where error.isWorthDecidingAgain {
            guard attempt < attempts else { throw ServiceError(.requestStale) }
            // Many first registrations of one company meet here; spreading them lets one pass at a time.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...(4 << min(attempt, 5)))))
        } catch let error as LedgerError {
            throw ServiceError(error) ?? error
        }
    }
    throw ServiceError(.requestStale)
}

extension LedgerError {
    /// A stream has another version now, or a statement of the append found something else than was decided on: a bucket
    /// that was re-keyed while a key was made under it, an employee who came while an e-mail was reclaimed.
    var isWorthDecidingAgain: Bool { code == .versionConflict || (code == .effectRefused && constraint == nil) }
}
