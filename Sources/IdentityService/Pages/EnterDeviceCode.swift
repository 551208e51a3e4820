import Canonical
import ErrorCodes
import Identity
import Keys
import Ledger
import Postgres

/// Confirms the device of a waiting browser by the code that the page behind the mailed link shows.
///
/// A wait takes five codes, whichever mails were sent for it.
package struct EnterDeviceCode: UseCase, Redacted {
    /// The codes that a wait takes.
    static let limit: Int64 = 5

    /// What became of a code.
    package enum Answer: Sendable, Equatable {
        /// The code is right: the key is authorized.
        case confirmed
        /// The code is wrong. So many may be typed yet.
        case wrong(triesLeft: Int)
        /// The wait takes no code, or no more.
        case over
    }

    /// The code as it was typed.
    package let code: String
    package let cookie: String
    package let app: AppCaller

    package init(code: String, cookie: String, app: AppCaller) {
        self.code = code
        self.cookie = cookie
        self.app = app
    }

    /// Compares the code, after it was counted.
    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context, time = run.call.time
        guard let cookie = WaitCookie(cookie), let row = try await counted(cookie, run), let mail = row.mail else {
            return .over
        }
        guard TypedCode(of: row, mail, context.ring).matches(code) else {
            return .wrong(triesLeft: max(0, Int(Self.limit - row.tries)))
        }
        let decision = WaitDecision(app: app, context: context, call: run.call)
        guard time < mail.until, try await decision.confirm(cookie.id, in: cookie.tenant) else { return .over }
        return .confirmed
    }

    /// The row after this code was counted; `nil` if it takes none. Of several codes at once each is counted.
    private func counted(_ cookie: WaitCookie, _ run: UseCaseRun<Answer>) async throws -> BrowserWaitRow? {
        while true {
            guard let row = try await BrowserWaitRow.find(cookie, run.context, at: run.call.time),
                let mail = row.mail, run.call.time < mail.until, row.tries < Self.limit
            else { return nil }
            if let next = try await row.counting(run.context) { return next }
        }
    }
}

/// The code that the page behind a mailed link about a device shows: a digest over the wait and the mail.
extension TypedCode {
    init(of row: BrowserWaitRow, _ mail: BrowserWaitRow.Mail, _ ring: KeyRing) {
        self.init(
            of: ring.mailLinkCode(
                kind: "device-code/\(mail.id.lowercased)/\(Hex.encode(row.fingerprint))", recipient: row.flow,
                expires: mail.until.microseconds))
    }
}
