import Canonical
import FoundationEssentials
import Logging
import ServiceLifecycle
import Synchronization

/// Counts the calls of apps for tenants that they are not linked to, so that the operator learns of a missing link.
///
/// The app itself must not learn whether there is such a tenant. So a call for a tenant that does not exist does the same
/// work here, and counts for nothing; and the log is written by ``UnlinkedAppReport``, not by the call.
final class UnlinkedAppCalls: Sendable {
    /// The number of apps that are counted by themselves. Calls of further apps are counted together.
    static let maximumApps = 256
    /// The shortest time between two lines of the log about one app.
    static let pause: Duration = .seconds(60)

    /// The calls of one app for tenants without a link.
    struct Due: Equatable {
        /// The app; `nil` for all apps beyond ``UnlinkedAppCalls/maximumApps``.
        let app: UUID?
        /// The number of calls since the process started.
        let calls: Int
    }

    private struct Count {
        var calls = 0
        /// The number of calls when the log was last written, and when that was.
        var reported: (calls: Int, at: ContinuousClock.Instant)?
    }

    private let counts = Mutex<[UUID?: Count]>([:])

    /// Counts a call of an app for a tenant that it has no link to, or that does not exist. The line of the call says the
    /// same of both.
    func count(_ app: UUID, tenantExists: Bool) {
        RequestNotes.note("company_unknown_or_not_linked")
        counts.withLock { counts in
            let key = counts[app] != nil || counts.count < Self.maximumApps ? app : nil
            counts[key, default: Count()].calls += tenantExists ? 1 : 0
        }
    }

    /// Returns the apps with calls since their last line in the log, and takes them as reported.
    func takeDue(now: ContinuousClock.Instant) -> [Due] {
        counts.withLock { counts in
            var due: [Due] = []
            for (app, count) in counts where count.calls > count.reported?.calls ?? 0 {
                if let last = count.reported?.at, now < last + Self.pause { continue }
                counts[app]?.reported = (count.calls, now)
                due.append(Due(app: app, calls: count.calls))
            }
            return due
        }
    }

    /// The counters in the Prometheus text format; empty without a call.
    var metrics: String {
        let lines = counts.withLock { $0 }.filter { $0.value.calls > 0 }.map { app, count in
            "tenure_unlinked_app_calls{app=\"\(app?.lowercased ?? "other")\"} \(count.calls)\n"
        }
        guard !lines.isEmpty else { return "" }
        return """
            # HELP tenure_unlinked_app_calls Calls of an app for companies that it is not linked to.
            # TYPE tenure_unlinked_app_calls counter

            """ + lines.sorted().joined()
    }
}

extension ServiceContext {
    /// What decisions about tenants share.
    struct Administration: Sendable {
        /// The calls of apps for tenants that they are not linked to.
        let unlinkedAppCalls = UnlinkedAppCalls()
    }
}

/// Names in the log the apps that call for tenants that they are not linked to, each at most once a minute.
struct UnlinkedAppReport: Service {
    /// The time between two looks.
    static let interval: Duration = .seconds(1)
    let calls: UnlinkedAppCalls
    let logger: Logger

    /// Looks until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                report(now: .now)
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Writes the lines that are due.
    func report(now: ContinuousClock.Instant) {
        for due in calls.takeDue(now: now) {
            logger.warning(
                "an app calls for a company that it is not linked to; tenure app link links it",
                metadata: ["app": "\(due.app?.lowercased ?? "other")", "calls": "\(due.calls)"])
        }
    }
}
