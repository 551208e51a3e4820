import Canonical
import Credentials
import Crypto
public import FoundationEssentials
import Identity
public import Keys
import Ledger
public import Postgres
import Projections

/// What whoever operates the service does on its command line.
public struct OperatorCommands: Sendable {
    let context: ServiceContext

    /// Serves an operator with the same parts as the service.
    public init(_ context: ServiceContext) { self.context = context }

    /// An app's secret, shown once.
    public struct IssuedSecret: Sendable, CustomStringConvertible {
        /// The app.
        public let appId: UUID
        /// The secret's id, by which it is revoked.
        public let secretId: UUID
        /// The secret, 43 characters of unpadded base64url.
        public let secret: String
        /// The app's salt, base64 of 32 bytes.
        public let salt: String
        /// Never the secret.
        public var description: String { "[redacted]" }
    }

    /// An app as listed.
    public struct AppView: Sendable {
        /// The app.
        public let appId: UUID
        /// The name the operator gave.
        public let name: String
        /// The secrets in force, each with its roles.
        public let secrets: [(secretId: UUID, roles: [String])]
    }

    /// Erasing people on the same parts.
    ///
    /// - Parameters:
    ///   - reader: Connections of the reader role, to the primary.
    ///   - masters: The master keys that the service was started with.
    ///   - list: Where it is written who was erased; nil for nowhere.
    public func erasure(reader: PostgresPool, masters: MasterKeyStore, list: ErasureList?) -> Erasure {
        Erasure(context, reader: reader, masters: masters, list: list)
    }

    func append(
        _ payloads: [any EventPayload], to stream: StreamID, version: Int, claims: [Claim] = [],
        guards: [StreamID: Int] = [:]
    ) async throws {
        guard !payloads.isEmpty else { return }
        let events = try payloads.map {
            try EventCodec.encode($0, id: UUID(), stream: stream, keys: [:], metadata: EventMetadata())
        }
        _ = try await context.appender.append(
            Append(events: events, expectations: guards.merging([stream: version]) { _, own in own }, claims: claims))
    }
}
