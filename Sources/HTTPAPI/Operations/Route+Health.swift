import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

extension Route {
    static let health = Route(.health) { _ in status("ok") }

    /// `GET /readyz`. While something is missing, replies with a problem document that names it.
    ///
    /// A projection that has stopped for one tenant does not take the instance out of service for the others, nor do
    /// checkpoints that rest, nor ledgers that are ahead of the clock. They are reported as `degraded` with status 200.
    /// Disabled pages are named too.
    static func readiness(_ configuration: HTTPConfiguration) -> Route {
        let preparation = configuration.preparation
        return Route(.readiness) { exchange in
            let report = await exchange.service.readiness()
            let missing = report.missing + preparation()
            guard missing.isEmpty else {
                throw Refusal(.serviceUnavailable, places: missing.map { ProblemPlace(.none, $0) }, retryAfter: 5)
            }
            let views = report.stoppedViews.sorted { $0.key < $1.key }.map { view, companies -> JSONValue in
                ["view": .string(view), "companies": .integer(Int64(companies))]
            }
            var members: [String: JSONValue] = [:]
            if !views.isEmpty { members["stoppedViews"] = .array(views) }
            for (name, reasons) in [("seals", report.seals), ("clocks", report.clocks)] where !reasons.isEmpty {
                members[name] = .array(reasons.map(JSONValue.string))
            }
            let isDegraded = !members.isEmpty
            if report.lacksPages { members["pages"] = "disabled" }
            return status(isDegraded ? "degraded" : "ready", members)
        }
    }

    private static func status(_ text: String, _ more: [String: JSONValue] = [:]) -> Reply {
        let document = JSONValue.object(more.merging(["status": .string(text)]) { first, _ in first })
        return Reply(headers: ["Content-Type": "application/json"], body: document.canonicalBytes())
    }
}
