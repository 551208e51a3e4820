public import Canonical

/// How a client authenticates at the endpoints of tokens (RFC 6749 §2.3.1).
public struct ClientCredentials: Sendable, Equatable, RedactedDescription {
    /// The client's id.
    public let clientID: String
    /// The client's secret; `nil` for a public client.
    public let secret: String?

    /// Reads the credentials of a request: those of `Basic`, or those of the form.
    ///
    /// - Parameters:
    ///   - basic: The id and the secret of the `Authorization` header, each form-encoded before base64.
    /// - Throws: ``FormError`` for none, or for two ways in one request.
    public init(basic: (id: String, secret: String)?, form: FormReader) throws(FormError) {
        let id = try form.text("client_id"), secret = try form.text("client_secret")
        guard let basic else {
            guard let id else { throw FormError(parameter: "client_id", reason: "the client does not authenticate") }
            clientID = id
            self.secret = secret
            return
        }
        guard let name = FormReader.decode(basic.id.utf8), let text = FormReader.decode(basic.secret.utf8) else {
            throw FormError(parameter: nil, reason: "the credentials of Basic are not form-encoded")
        }
        guard secret == nil, id == nil || id == name else {
            throw FormError(parameter: "client_secret", reason: "the client authenticates in two ways; use one")
        }
        clientID = name
        self.secret = text
    }
}
