import IdentityService
import Keys
import Ledger
import Postgres

/// The parts that `tenure erase` needs, running for as long as the command takes.
enum EraseSession {
    static func run<Result: Sendable>(
        _ settings: Settings, list: ErasureList, _ body: @Sendable @escaping (Erasure) async throws -> Result
    ) async throws -> Result {
        try await OperatorSession.withContext(settings) { context, masters in
            try await KeySession.reading(settings) { reader in
                try await body(Erasure(context, reader: reader, masters: masters, list: list))
            }
        }
    }
}
