import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

extension Route {
    /// `GET /healthz`.
    static let health = Route(.health) { _ in status("ok") }

    /// `GET /readyz`. While something is missing, replies with a problem document that names it.
    ///
    /// A projection that has stopped for one tenant does not take the instance out of service for the others, nor do
    /// checkpoints that rest. They are reported as `degraded` with status 200. Disabled pages are named too.
    static func readiness(_ configuration: HTTPConfiguration) -> Route {
        let preparation = configuration.preparation
        return Route(.readiness) { exchange in
            let report = await exchange.service.readiness()
            let missing = report.missing + preparation()
            guard missing.isEmpty else {
                throw Refusal(.serviceUnavailable, places: missing.map { ProblemPlace(.none, $0) }, retryAfter: 5)
            }
            var members: [String: JSONValue] = report.lacksPages ? ["pages": "disabled"] : [:]
            guard !report.stoppedViews.isEmpty || !report.seals.isEmpty else { return status("ready", members) }
            let views = report.stoppedViews.sorted { $0.key < $1.key }.map { view, companies -> JSONValue in
                ["view": .string(view), "companies": .integer(Int64(companies))]
            }
            if !views.isEmpty { members["stoppedViews"] = .array(views) }
            if !report.seals.isEmpty { members["seals"] = .array(report.seals.map(JSONValue.string)) }
            return status("degraded", members)
        }
    }

    private static func status(_ text: String, _ more: [String: JSONValue] = [:]) -> Reply {
        let document = JSONValue.object(more.merging(["status": .string(text)]) { first, _ in first })
        return Reply(headers: ["Content-Type": "application/json"], body: document.canonicalBytes())
    }
}
