/// The members that RFC 6749 §5.2 adds to the refusal of a request to `/oauth/introspect` or `/oauth/revoke`.
public struct OAuthRefusal: Sendable, Equatable {
    /// `error`: the code, such as `invalid_client`.
    public var error: String
    /// `error_description`: the fault in words, in the characters that RFC 6749 permits.
    public var description: String

    package init(error: String, description: String) {
        self.error = error
        self.description = description
    }

    /// Describes the refusal with this HTTP status. Characters of `text` that RFC 6749 forbids become `'`.
    public init(status: Int, describing text: String) {
        error =
            switch status {
            case 401: "invalid_client"
            case 403: "unauthorized_client"
            case 429, 503: "temporarily_unavailable"
            case 400..<500: "invalid_request"
            default: "server_error"
            }
        let scalars = text.unicodeScalars.map { scalar in
            (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\" ? scalar : "'"
        }
        description = String(String.UnicodeScalarView(scalars))
    }
}
