import FoundationEssentials
import Identity
import Ledger
import Logging

/// Proves that an event is in a company's ledger, as a file that verifies by itself (C2SP tlog-proof).
struct ProveEvent: Sendable {
    let context: ServiceContext

    /// - Returns: The proof; nil when there is no such position.
    /// - Throws: `service.unavailable` for an event that is not sealed yet.
    func run(_ position: Int64, _ company: String, caller: Caller) async throws -> String? {
        let access = try await context.access(company, caller, role: .authorization)
        let ledger = LedgerID(access.tenant.id.uuid)
        guard let event = try await context.reader.event(ledger, at: position) else { return nil }
        let signed = try await ReadCheckpoint.checkpoint(ledger, context), checkpoint = signed.checkpoint
        guard position <= checkpoint.size else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        var prover = MerkleProver(
            size: checkpoint.size, source: LedgerHashes(reader: context.reader, ledger: ledger))
        let path = try await prover.inclusion(of: position - 1)
        // A proof that proves nothing is worse than none: somebody changed the log.
        let root = MerkleProof.root(leaf: event.leaf, index: position - 1, size: checkpoint.size, path: path)
        guard root == checkpoint.root else {
            context.logger.error("a ledger is not what was sealed", metadata: ["ledger": "\(ledger)"])
            throw ServiceError(.serviceUnavailable)
        }
        return TlogProof(index: position - 1, path: path, checkpoint: signed).text
    }
}
