import Canonical

/// The browser in which a log-in on the pages ends. The append that opens the session opens its browser session too.
package struct LogInBrowser: Sendable, Redacted {
    /// The key of the form that ends the log-in, which the browser's secret is part of.
    ///
    /// The new cookie is derived from it, so a form that is sent twice gets one cookie, and no stored reply holds it. Each
    /// log-in has another form, so a value that somebody placed in the browser before is worth nothing.
    package let form: String
    /// The value of the cookie that the browser has; `nil` without one. The session of it ends with the log-in.
    package let cookie: String?

    package init(form: String, cookie: String?) {
        self.form = form
        self.cookie = cookie
    }
}
