import Canonical
import IdentityService
import TenureAPI

/// Finds out who calls, by the schemes that an operation allows.
struct Authenticator: Sendable {
    let service: any TenureService

    /// The caller, or nil where nobody is asked.
    func caller(_ access: Endpoint.Access, _ headers: RequestHeaders) async throws -> Caller? {
        guard access != .anyone else { return nil }
        let appAllowed = access != .employee
        let employeeAllowed = access != .app
        switch PresentedCredentials(headers) {
        case .basic(let appId, let secret) where appAllowed:
            return .app(try await service.authenticate(appId: appId, secret: secret))
        case .bearer(let token) where employeeAllowed:
            return .employee(try await service.authenticate(accessToken: token))
        case .garbled(bearer: true) where employeeAllowed: throw Refusal(.sessionInvalid)
        case .missing, .garbled, .basic, .bearer: throw Refusal(appAllowed ? .appUnknown : .sessionInvalid)
        }
    }

    /// The challenges of a 401 (RFC 9110 §11.6.1).
    static func challenge(_ access: Endpoint.Access) -> String? {
        let basic = #"Basic realm="tenure", charset="UTF-8""#
        let bearer = #"Bearer realm="tenure""#
        return switch access {
        case .anyone: bearer
        case .app: basic
        case .employee: bearer
        case .appOrEmployee: basic + ", " + bearer
        }
    }
}

extension Caller {
    /// The id that retries of one request have in common; another secret of the same app is the same caller.
    var fingerprintId: String {
        switch self {
        case .app(let app): "app:" + app.appId.lowercased
        case .employee(let employee): "employee:" + employee.employeeId.lowercased
        }
    }
}
