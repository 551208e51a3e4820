import FoundationEssentials
import Identity
import Ledger

/// Reads the newest signed checkpoint of a company's ledger.
struct ReadCheckpoint: Sendable {
    let context: ServiceContext

    func run(_ company: String, caller: Caller) async throws -> String {
        let access = try await context.access(company, caller, role: .authorization)
        return try await Self.checkpoint(LedgerID(access.tenant.id.uuid), context).note.text
    }

    /// - Throws: `service.unavailable` before the first seal, which is due within a second or so.
    static func checkpoint(_ ledger: LedgerID, _ context: ServiceContext) async throws -> SignedCheckpoint {
        guard let checkpoint = try await context.reader.checkpoint(ledger) else {
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        }
        return checkpoint
    }
}
