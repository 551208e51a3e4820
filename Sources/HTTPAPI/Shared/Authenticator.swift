import Canonical
import ErrorCodes
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

    /// Reads the values of the header, of which there may be one.
    init(authorization values: [String]) {
        guard let value = values.first else {
            self = .missing
            return
        }
        let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
        let isBearer = parts.first?.lowercased() == "bearer"
        self = .garbled(bearer: isBearer)
        guard values.count == 1, parts.count == 2 else { return }
        if isBearer {
            if let token = Self.token(parts[1]) { self = .bearer(token) }
        } else if parts[0].lowercased() == "basic", let pair = Self.pair(parts[1]) {
            self = .basic(appId: pair.appId, secret: pair.secret)
        }
    }

    /// Reads a `b64token` (RFC 6750 §2.1) of at most 2048 bytes.
    private static func token(_ text: String) -> String? {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let characters = text.utf8.dropLast(padding)
        let allowed = characters.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return allowed && !characters.isEmpty && text.utf8.count <= 2048 ? text : nil
    }

    /// Splits the credentials at the first colon; the secret may contain further colons. Control characters are
    /// rejected (RFC 7617 §2).
    private static func pair(_ text: String) -> (appId: String, secret: String)? {
        guard text.utf8.count <= 2048, let bytes = Base64.decode(text),
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
