import Canonical
import ErrorCodes
import HTTPLimits
import IdentityService
import TenureAPI
import TenureServer

/// Authenticates the caller with the schemes that an endpoint accepts.
struct Authenticator: Sendable {
    let service: any UseCaseRunner
    let call: Call

    /// Returns the caller, or `nil` if the endpoint needs no credentials.
    func caller(_ access: Endpoint.Access, _ headers: RequestHeaders) async throws -> Caller? {
        guard access != .anyone else { return nil }
        let appAllowed = access != .employee
        let employeeAllowed = access != .app
        switch headers.credentials {
        case .basic(let appId, let secret) where appAllowed:
            return .app(try await service.run(AuthenticateApp(appId: appId, secret: secret), call))
        case .bearer(let token) where employeeAllowed:
            return .employee(try await service.run(AuthenticateSession(accessToken: token), call))
        case .garbled(bearer: true) where employeeAllowed: throw Refusal(.sessionInvalid)
        case .missing, .garbled, .basic, .bearer: throw Refusal(appAllowed ? .appUnknown : .sessionInvalid)
        }
    }
}

extension Caller {
    /// The id that identifies the caller across retries. Two secrets of the same app are the same caller.
    var fingerprintId: String {
        switch self {
        case .app(let app): "app:" + app.appId.lowercased
        case .employee(let employee): "employee:" + employee.employeeId.lowercased
        }
    }
}

/// The credentials in an `Authorization` header.
enum PresentedCredentials: Sendable {
    /// The request has no such header.
    case missing
    /// The header cannot be parsed. `bearer` tells whether it names the Bearer scheme.
    case garbled(bearer: Bool)
    /// An app's id and secret (RFC 7617).
    case basic(appId: String, secret: String)
    /// An access token (RFC 6750).
    case bearer(String)

    /// Reads the values of the header, of which there may be one. Credentials have at most 2048 bytes.
    init(authorization values: [String]) {
        guard let first = values.first else {
            self = .missing
            return
        }
        self = .garbled(bearer: FieldReader([first]).credentials?.scheme == "bearer")
        guard let credentials = FieldReader(values).credentials, let token = credentials.token68,
            token.utf8.count <= 2048
        else { return }
        if credentials.scheme == "bearer" {
            self = .bearer(token)
        } else if credentials.scheme == "basic", let pair = Self.pair(token) {
            self = .basic(appId: pair.appId, secret: pair.secret)
        }
    }

    /// Splits the credentials at the first colon; the secret may contain further colons. Control characters are
    /// rejected (RFC 7617 §2).
    private static func pair(_ text: String) -> (appId: String, secret: String)? {
        guard let bytes = Base64.decode(text),
            let pair = String(validating: bytes, as: UTF8.self),
            pair.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let appId = String(pair[..<colon])
        let secret = String(pair[pair.utf8.index(after: colon)...])
        return appId.isEmpty || secret.isEmpty ? nil : (appId, secret)
    }
}

/// Compares secrets in a time that depends on their lengths only.
enum ConstantTime {
    static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
