import FoundationEssentials
import Identity
import Ledger

/// Reads a tile of hashes or a bundle of entries of a company's ledger, of those that its checkpoint covers.
struct ReadTile: Sendable {
    let context: ServiceContext

    /// - Parameter path: What follows `tile/`, such as `0/x001/234.p/17` or `entries/000`.
    /// - Returns: The bytes; nil when the path is none, or goes beyond the checkpoint.
    func run(_ path: String, _ company: String, caller: Caller) async throws -> [UInt8]? {
        let access = try await context.access(company, caller, role: .authorization)
        let ledger = LedgerID(access.tenant.id.uuid)
        guard let tile = TilePath("tile/\(path)") else { return nil }
        let sealed = try await ReadCheckpoint.checkpoint(ledger, context).checkpoint.size
        guard tile.lastIndex < tile.count(inLogOf: sealed) else { return nil }
        switch tile.content {
        case .hashes(let level):
            let hashes = try await LedgerHashes(reader: context.reader, ledger: ledger).hashes(
                level: level, tile.firstIndex..<tile.lastIndex + 1)
            return hashes.flatMap(\.self)
        case .entries:
            let page = try await context.reader.ledger(ledger, after: tile.firstIndex, limit: Int(tile.width))
            return EntryBundle.encode(page.events.map(\.entry))
        }
    }
}
