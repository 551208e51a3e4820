import Canonical
import TenureAPI

/// What tests know about the tables of members.
enum WireCatalogue {
    /// Every table of members in the sources. One that is missing there fails a test.
    static let all = WireObjects.all

    /// Members of which only those of one alternative may be present.
    static let alternatives = [
        "CredentialsChangeRequest": [["currentAnswers"], ["currentPassphrase"]],
        "NewSecurityQuestion": [["question"], ["number", "version"]],
        "ProblemPlace": [["pointer"], ["parameter"], ["header"]],
        "ProofRequest.Question": [["question"], ["number", "version"]],
    ]

    /// The property that holds a member; most have its name.
    static func property(of member: String, in type: any WireObject.Type) -> String {
        properties[type.tableName]?[member] ?? member
    }

    private static let properties = [
        "CredentialsChangeRequest": ["currentAnswers": "current", "currentPassphrase": "current"],
        "NewSecurityQuestion": ["question": "choice", "number": "choice", "version": "choice"],
        "Problem": ["error_description": "description"],
        "ProblemPlace": ["pointer": "place", "parameter": "place", "header": "place"],
        "ProofRequest.Question": ["question": "choice", "number": "choice", "version": "choice"],
        "TokenGrantResponse": [
            "access_token": "accessToken", "expires_in": "expiresIn", "refresh_token": "refreshToken",
            "id_token": "idToken",
        ],
        "TokenIntrospectionResponse.Claims": [
            "iss": "issuer", "sub": "subject", "aud": "audience", "exp": "expiresAt", "iat": "issuedAt", "jti": "id",
            "client_id": "clientID", "sid": "sessionID", "tenant": "tenantID", "amr": "methods",
            "auth_time": "authenticatedAt",
        ],
        "TokenMetadataResponse": [
            "authorization_endpoint": "authorizationEndpoint", "token_endpoint": "tokenEndpoint",
            "userinfo_endpoint": "userinfoEndpoint", "end_session_endpoint": "endSessionEndpoint",
            "jwks_uri": "jwksURI", "introspection_endpoint": "introspectionEndpoint",
            "revocation_endpoint": "revocationEndpoint", "service_documentation": "serviceDocumentation",
        ],
    ]
}

/// What a test looks up of a table whose object's type it does not know.
extension WireObject {
    static var tableName: String { members.name }
    static var rows: [MemberDescription] { members.members }
}

/// A part whose members stand beside those of the object itself.
protocol InlinePart {}

extension StatementSignature: InlinePart {}
extension ProofRequest.Credentials: InlinePart {}
extension OAuthRefusal: InlinePart {}
