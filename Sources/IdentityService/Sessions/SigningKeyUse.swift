import Identity
import Keys
import Postgres

/// What a key of the service signs. A key has one use for ever: nothing that it signed passes for something else.
enum SigningKeyUse: String, Sendable, Hashable, CaseIterable {
    /// Access tokens (RFC 9068), with ES256.
    case accessToken
    case idTokenRS256
    case idTokenES256

    /// The use for the ID tokens of clients that chose an algorithm.
    init(_ algorithm: IDTokenAlgorithm) {
        switch algorithm {
        case .rs256: self = .idTokenRS256
        case .es256: self = .idTokenES256
        }
    }

    /// The algorithm of ID tokens; `nil` for access tokens.
    var idTokenAlgorithm: IDTokenAlgorithm? {
        switch self {
        case .accessToken: nil
        case .idTokenRS256: .rs256
        case .idTokenES256: .es256
        }
    }

    var table: SQL { idTokenAlgorithm == nil ? "tenure.token_key" : "tenure.id_token_key" }

    /// The condition on the rows of the table that have this use.
    var condition: SQL { idTokenAlgorithm.map { "algorithm = \($0.rawValue)" } ?? "true" }

    /// ``condition`` on the rows of an alias.
    func condition(of alias: SQL) -> SQL { idTokenAlgorithm.map { "\(alias).algorithm = \($0.rawValue)" } ?? "true" }

    var words: String { idTokenAlgorithm.map { "ID tokens (\($0.rawValue))" } ?? "access tokens" }

    /// Encrypts a private key.
    func seal(_ clear: [UInt8], keyID: String, _ ring: KeyRing) throws(KeysError) -> [UInt8] {
        guard let algorithm = idTokenAlgorithm else { return try ring.sealTokenKey(clear, keyID: keyID) }
        return try ring.sealIDTokenKey(clear, keyID: keyID, algorithm: algorithm.rawValue)
    }

    /// Decrypts a private key; `nil` if it does not open for this use.
    func open(_ sealed: [UInt8], keyID: String, _ ring: KeyRing) -> [UInt8]? {
        guard let algorithm = idTokenAlgorithm else { return ring.openTokenKey(sealed, keyID: keyID) }
        return ring.openIDTokenKey(sealed, keyID: keyID, algorithm: algorithm.rawValue)
    }
}
