import Canonical
import Crypto
import FoundationEssentials
import Identity

/// The ID token of a grant (OpenID Connect Core, section 2).
struct IDToken: Sendable {
    let row: GrantRow
    let registration: ClientRegistration
    /// The claims about the person.
    let person: [String: JSONValue]
    /// The `nonce` of the request; `nil` after a refresh.
    let nonce: String?
    let accessToken: String

    func signed(at time: Timestamp, _ context: ServiceContext) async throws -> String {
        var claims = person
        claims["iss"] = .string(context.settings.tokenIssuer)
        claims["aud"] = .string(row.client.lowercased)
        claims["iat"] = .integer(time.wholeSeconds)
        claims["exp"] = .integer(time.adding(context.settings.accessLifetime).wholeSeconds)
        claims["auth_time"] = .integer(row.authenticatedAt.wholeSeconds)
        claims["sid"] = .uuid(row.openedIn)
        claims["amr"] = .array(AuthenticationMethods(text: row.methods).values.map(JSONValue.string))
        claims["acr"] = .string(AuthenticationContext(methods: row.methods).rawValue)
        claims["at_hash"] = .string(Self.hash(accessToken))
        claims["nonce"] = nonce.map(JSONValue.string)
        let key = try await context.sessions.idTokenKeys.of(registration.idToken).signingKey(at: time)
        return try key.sign(.object(claims))
    }

    /// The left half of the SHA-256 of a token, in base64url.
    private static func hash(_ token: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(token.utf8)).prefix(16)))
    }

    /// The classes of authentication, `acr`: names of this service, and `phr` of OpenID Connect EAP ACR Values.
    enum AuthenticationContext: String, CaseIterable {
        /// A device key alone.
        case device = "urn:tenure:acr:device"
        /// A device key and a secret.
        case deviceAndSecret = "urn:tenure:acr:device-and-secret"
        /// A passkey, which works on this site only, and a person whom its authenticator verified.
        case passkey = "phr"

        init(methods: String) {
            let values = AuthenticationMethods(text: methods).values
            self = values.contains("user") ? .passkey : values.contains("mfa") ? .deviceAndSecret : .device
        }
    }

    /// What an `id_token_hint` says: the person, the session and the client of an ID token of this service, however old.
    struct Hint: Sendable, Equatable {
        let employee: EmployeeID
        let session: UUID
        let tenant: TenantID
        let client: AppID

        /// Reads a hint; `nil` for a text that is no ID token of this service with a key that is known.
        init?(_ token: String, _ context: ServiceContext, at time: Timestamp) async throws {
            for algorithm in IDTokenAlgorithm.allCases {
                for key in try await context.sessions.idTokenKeys.of(algorithm).keys(at: time) {
                    guard let claims = key.claims(of: token) else { continue }
                    guard claims["iss"] == .string(context.settings.tokenIssuer),
                        let employee = claims["sub"]?.uuid, let session = claims["sid"]?.uuid,
                        let tenant = claims["tenant"]?.uuid, let client = claims["aud"]?.uuid
                    else { return nil }
                    self.employee = EmployeeID(employee)
                    self.session = session
                    self.tenant = TenantID(tenant)
                    self.client = AppID(client)
                    return
                }
            }
            return nil
        }
    }
}
