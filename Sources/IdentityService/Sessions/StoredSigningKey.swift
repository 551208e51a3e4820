import AccessTokens

/// A private key of the service that signs tokens, as a row stores it.
protocol StoredSigningKey: Sendable {
    /// The `kid`: the thumbprint of the key (RFC 7638), 43 characters.
    var keyID: String { get }
    /// The private key, to be sealed.
    var stored: [UInt8] { get }
    /// Reads what a row stored; `nil` for something else.
    init?(stored: [UInt8], _ use: SigningKeyUse)
    static func new(_ use: SigningKeyUse) throws -> Self
}

extension TokenSigningKey: StoredSigningKey {
    var keyID: String { publicKey.keyID }
    var stored: [UInt8] { rawRepresentation }

    init?(stored: [UInt8], _ use: SigningKeyUse) {
        guard use == .accessToken else { return nil }
        self.init(rawRepresentation: stored)
    }

    static func new(_ use: SigningKeyUse) -> TokenSigningKey { TokenSigningKey() }
}
