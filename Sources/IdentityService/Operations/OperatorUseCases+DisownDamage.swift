import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
package import Ledger

extension OperatorUseCases {
    /// The result of ``disown(_:of:)``.
    package enum Disowning: Sendable, Hashable {
        case disowned
        case disownedBefore
        /// A service wrote the row: it is as good as any other.
        case ownEntry
        /// The ledger has no such row.
        case missing
    }

    /// Disowns a row that no service wrote and a checkpoint covers, so that the streams that it damaged can be read
    /// again. `tenure verify` reports the damage itself as before.
    ///
    /// - Throws: ``OperatorKeyError``, and ``LedgerError``.
    package func disown(_ position: Int64, of ledger: LedgerID) async throws -> Disowning {
        try await optimistic {
            try await context.reader.refreshDisowned()
            let page = try await context.reader.entries(
                of: ledger, after: position - 1, through: position, limit: 1, without: [], leavingDisowned: true)
            guard let row = page.entries.first else { return .missing }
            guard !row.isDisowned else { return .disownedBefore }
            guard (try? row.event()) == nil else { return .ownEntry }
            guard let leaf = Bytes32(MerkleTree.leafHash(row.bytes)) else {
                throw ProgramDefect("a leaf has no 32 bytes")
            }
            let events = try await signing.decide(on: .disowned) { decision in
                [EntryDisowned(ledger: ledger.uuid, position: position, leaf: leaf, by: decision.authority)]
            }
            try await append(
                events, to: .disowned, version: context.reader.codes.disowned.version, mayFollowHead: true)
            return .disowned
        }
    }
}
