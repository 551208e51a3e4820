import Canonical
import IdentityService
import TenureAPI

extension Route {
    /// `GET /healthz`.
    static let health = Route(.health) { _ in status("ok") }

    /// `GET /readyz`: a problem document that names what is missing while anything is.
    ///
    /// A view that has stopped at one company takes no traffic away from the others, so it is told with status 200.
    static let readiness = Route(.readiness) { exchange in
        let report = await exchange.service.readiness()
        guard report.missing.isEmpty else {
            throw Refusal(.serviceUnavailable, places: report.missing.map { ProblemPlace(.none, $0) }, retryAfter: 5)
        }
        guard !report.stoppedViews.isEmpty else { return status("ready") }
        let views = report.stoppedViews.sorted { $0.key < $1.key }.map { view, companies -> JSONValue in
            ["view": .string(view), "companies": .integer(Int64(companies))]
        }
        return status("degraded", ["stoppedViews": .array(views)])
    }

    private static func status(_ text: String, _ more: [String: JSONValue] = [:]) -> Reply {
        let document = JSONValue.object(more.merging(["status": .string(text)]) { first, _ in first })
        return Reply(headers: ["Content-Type": "application/json"], body: document.canonicalBytes())
    }
}
