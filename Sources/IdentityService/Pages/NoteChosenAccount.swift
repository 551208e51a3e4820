import Canonical
import FoundationEssentials
import Identity

/// Notes that a person has just logged in for a stored request, and so chose the account. A client that asked for a
/// choice gets it without another question.
package struct NoteChosenAccount: UseCase, CustomStringConvertible {
    /// The handle of the stored request.
    package let handle: String
    /// The value of the browser's cookie: that of the log-in.
    package let cookie: String
    /// A placeholder that never contains the cookie.
    package var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    package init(handle: String, cookie: String) {
        self.handle = handle
        self.cookie = cookie
    }

    /// Notes the choice. Does nothing for a request that is not known any more.
    package func run(_ run: UseCaseRun<Void>) async throws {
        let context = run.context, time = run.call.time
        guard var stored = try await StoredRequest.find(handle, context, at: time),
            let browser = try await context.browserSession(cookie, at: time)
        else { return }
        stored.answers.chosen = EmployeeID(browser.employeeID)
        // Whoever changed the request meanwhile has answered a page of it, which asks again if it must.
        _ = try await stored.update(context)
    }
}
