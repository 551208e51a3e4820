import Canonical
import FoundationEssentials
import Identity
import Keys

/// The browser in which a log-in on the pages ends. The append that opens the session opens its browser session too.
package struct LogInBrowser: Sendable, Redacted {
    /// The key of the form that ends the log-in, which the browser's secret is part of.
    ///
    /// The new cookie is derived from it, so a form that is sent twice gets one cookie, and no stored reply holds it. Each
    /// log-in has another form, so a value that somebody placed in the browser before is worth nothing.
    package let form: String
    /// The value of the cookie that the browser has; `nil` without one. The session of it ends with the log-in.
    package let cookie: String?
    /// The value of the cookie that tells which accounts were logged in to there; `nil` without one.
    package let known: String?

    package init(form: String, cookie: String?, known: String? = nil) {
        self.form = form
        self.cookie = cookie
        self.known = known
    }
}

/// The accounts that were logged in to in a browser, as one of its cookies tells: digests that only the service makes, the
/// latest first. They open nothing.
struct KnownAccounts {
    private static let most = 8, byteCount = 16, length = 22

    private let marks: [String]
    private let ring: KeyRing

    init(_ cookie: String?, _ ring: KeyRing) {
        marks = (cookie ?? "").split(separator: ".").filter { $0.utf8.count == Self.length }.prefix(Self.most)
            .map { String($0) }
        self.ring = ring
    }

    func contains(_ employee: EmployeeID, in tenant: TenantID) -> Bool { marks.contains(mark(employee, tenant)) }

    /// The value of the cookie after a log-in.
    func adding(_ employee: EmployeeID, in tenant: TenantID) -> String {
        let mark = mark(employee, tenant)
        return ([mark] + marks.filter { $0 != mark }.prefix(Self.most - 1)).joined(separator: ".")
    }

    private func mark(_ employee: EmployeeID, _ tenant: TenantID) -> String {
        let digest = ring.lookupDigest(kind: "known-browser", employee.uuid.bytes, scope: tenant.uuid)
        return Base64URL.encode(Array(digest.prefix(Self.byteCount)))
    }
}
