import Keys
import Ledger

/// Reads the newest anchor. Anybody may have it: it names no company and counts nothing but the system's own events.
struct ReadAnchor: Sendable {
    let context: ServiceContext

    /// - Throws: `service.unavailable` before the first seal.
    func run() async throws -> Anchor {
        guard let checkpoint = try await context.reader.checkpoint(.system) else {
            throw ServiceError(.serviceUnavailable)
        }
        return try Anchor(key: try context.logKey, checkpoint: checkpoint)
    }
}

extension ServiceContext {
    /// The public half of the key that signs checkpoints.
    var logKey: LogKey {
        get throws {
            let secret = try ring.checkpointSigningKey()
            return try CheckpointSigner(name: settings.issuer, secret: secret).key
        }
    }
}
