import Canonical
import IdentityService
import TenureAPI

extension Route {
    /// `GET /healthz`.
    static let health = Route(.health) { _ in status("ok") }

    /// `GET /readyz`: a problem document that names what is missing while anything is.
    static let readiness = Route(.readiness) { exchange in
        let missing = await exchange.service.readiness()
        guard missing.isEmpty else {
            throw Refusal(.serviceUnavailable, places: missing.map { ProblemPlace(.none, $0) }, retryAfter: 5)
        }
        return status("ready")
    }

    private static func status(_ text: String) -> Reply {
        let document: JSONValue = ["status": .string(text)]
        return Reply(headers: ["Content-Type": "application/json"], body: document.canonicalBytes())
    }
}
