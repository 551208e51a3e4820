public import Canonical

/// The form of `POST /oauth/introspect` (RFC 7662 §2.1) and `POST /oauth/revoke` (RFC 7009 §2.1).
public struct TokenFormRequest: Sendable, Equatable, RedactedDescription {
    /// The token in question.
    public var token: String
    /// What the caller takes the token for, such as `access_token` or `refresh_token`. The service needs no hint.
    public var tokenTypeHint: String?

    /// Describes a request about a token.
    public init(token: String, tokenTypeHint: String? = nil) {
        self.token = token
        self.tokenTypeHint = tokenTypeHint
    }

    /// Reads the bytes of a form and ignores unknown parameters.
    ///
    /// - Throws: ``FormError`` if `token` is missing, if a parameter is given twice, or if the form is malformed.
    public init(form bytes: some Collection<UInt8>) throws(FormError) {
        let reader = try FormReader(bytes)
        guard let token = try reader.text("token") else {
            throw FormError(parameter: "token", reason: "the parameter is missing")
        }
        self.token = token
        tokenTypeHint = try reader.text("token_type_hint")
    }

    /// The bytes of the form.
    public var form: [UInt8] {
        let hint = tokenTypeHint.map { [(name: "token_type_hint", value: $0)] } ?? []
        return FormEncoding.encode([(name: "token", value: token)] + hint)
    }
}
