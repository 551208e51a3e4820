import Canonical
import Identity
import Logging
import Postgres

/// The keys that sign ID tokens, of each algorithm.
struct IDTokenKeys: Sendable {
    private let rs256: SigningKeys<IDTokenSigningKey>
    private let es256: SigningKeys<IDTokenSigningKey>

    /// - Parameter lifetime: The lifetime of a token.
    init(pool: PostgresPool, rows: RowAuthentication, lifetime: Duration, logger: Logger) {
        rs256 = SigningKeys(.idTokenRS256, pool: pool, rows: rows, lifetime: lifetime, logger: logger)
        es256 = SigningKeys(.idTokenES256, pool: pool, rows: rows, lifetime: lifetime, logger: logger)
    }

    func of(_ algorithm: IDTokenAlgorithm) -> SigningKeys<IDTokenSigningKey> {
        switch algorithm {
        case .rs256: rs256
        case .es256: es256
        }
    }

    /// Returns the public keys (RFC 7517) that verify ID tokens. Creates the first one of each algorithm.
    func published(at time: Timestamp) async throws -> [JSONValue] {
        try await rs256.keys(at: time).map(\.jwk) + es256.keys(at: time).map(\.jwk)
    }
}

extension ServiceContext {
    /// What use cases of sessions and tokens share.
    struct Sessions: Sendable {
        /// The keys that sign access tokens.
        let tokenKeys: TokenKeys
        let idTokenKeys: IDTokenKeys

        init(_ pool: PostgresPool, _ rows: RowAuthentication, _ settings: ServiceSettings, _ logger: Logger) {
            let lifetime = settings.accessLifetime
            tokenKeys = TokenKeys(.accessToken, pool: pool, rows: rows, lifetime: lifetime, logger: logger)
            idTokenKeys = IDTokenKeys(pool: pool, rows: rows, lifetime: lifetime, logger: logger)
        }
    }
}
