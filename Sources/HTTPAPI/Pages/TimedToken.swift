import Canonical

/// A token that says when it was made, under the cookie of a browser.
///
/// Its text is the time in microseconds since 1970, a dot, and a ``FormToken`` over purpose, path, subject and time.
struct TimedToken: Sendable {
    /// What a token of these is for. One for another purpose is none.
    let purpose: String
    /// The value of the browser's cookie.
    let cookie: String
    /// The path of the page or the form.
    let path: String
    /// What the page or the form is about.
    let subject: String

    /// The token as of a moment.
    func text(at time: Timestamp) -> String { "\(time.microseconds).\(code(time.microseconds))" }

    /// How old a token is that was sent; `nil` for a text that is none of these.
    func age(of sent: String?, at time: Timestamp) -> Duration? {
        guard let sent, let made = Self.time(of: sent),
            ConstantTime.equal(Array("\(made).\(code(made))".utf8), Array(sent.utf8)),
            // The clocks of two processes differ a little.
            time.microseconds - made > -5_000_000
        else { return nil }
        return .microseconds(time.microseconds - made)
    }

    /// When a token says that it was made, whether it is true or not.
    static func time(of text: String) -> Int64? {
        text.split(separator: ".", maxSplits: 1).first.flatMap { Int64($0) }.flatMap {
            (0...(1 << 60)).contains($0) ? $0 : nil
        }
    }

    private func code(_ time: Int64) -> String {
        FormToken(cookie: cookie, path: "\(purpose) \(path)", request: "\(time) \(subject)").text
    }
}
