import Canonical
import TenureAPI
import TenureClient
import Text

/// Reports the outcome of a flow. Tokens stay on the device and are never printed.
struct OutcomeReport: Sendable {
    private let outcome: FlowOutcome
    private let greeting: String
    private let credentials: String?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - greeting: The message after success.
    ///   - credentials: The fingerprint that other devices will show for the new credentials.
    init(_ outcome: FlowOutcome, greeting: String = "You are in.", credentials: String? = nil) {
        self.outcome = outcome
        self.greeting = greeting
        self.credentials = credentials
    }

    /// Writes the outcome and stores the account as the last one used.
    func write(_ options: ClientOptions) throws {
        switch outcome {
        case .success(let admission): try write(admission, options)
        case .authorizationPending(let pending): try write(pending, options)
        }
    }

    private func write(_ admission: Admission, _ options: ClientOptions) throws {
        let account = admission.session.account
        try options.lastAccount.remember(
            .init(companyName: account.companyName, companyEmployeeId: account.companyEmployeeId))
        let output = Output.standardOutput()
        guard !options.json else {
            return try output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "outcome": "success", "companyName": .string(admission.companyName),
                        "companyEmployeeId": .string(admission.companyEmployeeId),
                        "status": .string(admission.status), "role": .string(admission.role),
                        "fingerprint": .string(admission.fingerprint),
                        "credentials": credentials.map(JSONValue.string),
                        "position": admission.position.map(JSONValue.integer),
                        "credentialsChangeRequired": admission.credentialsChangeRequired ? true : nil,
                        "notices": admission.notices.isEmpty ? nil : .array(admission.notices.map(\.json)),
                    ])))
        }
        let facts = Facts(
            [
                ("Employee", admission.companyEmployeeId),
                ("Company", admission.companyName), ("Role", admission.role),
                ("Status", admission.status),
            ] + Facts.device(admission.fingerprint)
                + (credentials.map { [("Credentials", Fingerprint.readable($0))] } ?? []))
        Output.standardError().line("\n" + greeting)
        try output.write(facts.rendered(on: output.terminal))
        for notice in admission.notices { Output.standardError().line("\n" + NoticeText.of(notice)) }
        guard admission.credentialsChangeRequired else { return }
        Output.standardError().line(
            "Others tried to guess your credentials too often. Until you change them no other device can be added:\n"
                + "  tenure client change-credentials")
    }

    private func write(_ pending: PendingAuthorization, _ options: ClientOptions) throws {
        let account = pending.account
        try options.lastAccount.remember(
            .init(companyName: account.companyName, companyEmployeeId: account.companyEmployeeId))
        let output = Output.standardOutput()
        guard !options.json else {
            return try output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "outcome": "authorizationPending", "companyName": .string(account.companyName),
                        "companyEmployeeId": .string(account.companyEmployeeId),
                        "employeePublicKey": .string(pending.employeePublicKey),
                        "fingerprint": .string(pending.fingerprint), "words": .string(pending.words),
                        "credentials": credentials.map(JSONValue.string),
                        "position": pending.position.map(JSONValue.integer),
                    ])))
        }
        let company = ShellWord.quoteIfNeeded(account.companyName)
        let employee = ShellWord.quoteIfNeeded(account.companyEmployeeId)
        let words = Output.standardError()
        words.line("\nThis device's key has to be authorized. Whoever does it must see the same words:")
        try output.write(
            Facts(
                [
                    ("Employee", account.companyEmployeeId), ("Company", account.companyName),
                ] + Facts.device(pending.fingerprint)
                    + (credentials.map { [("Credentials", Fingerprint.readable($0))] } ?? [])
            ).rendered(on: output.terminal))
        words.line(
            """
            They run:  tenure client authorize \(company) \(employee)
            Or, on an authorized device of yours:  tenure client devices --authorize FINGERPRINT
            Then you:  tenure client login \(company) \(employee)
            """
        )
    }
}

/// Names and values in aligned lines.
struct Facts: Sendable {
    private let facts: [(name: String, value: String)]

    init(_ facts: [(name: String, value: String)]) { self.facts = facts }

    /// The facts by which people compare a device with another screen: the words, then the digits.
    static func device(_ fingerprint: String) -> [(name: String, value: String)] {
        [("Words", FingerprintWords(hex: fingerprint).text), ("Device", Fingerprint.readable(fingerprint))]
    }

    func rendered(on terminal: Terminal) -> String {
        let width = facts.map { DisplayWidth.of($0.name) }.max() ?? 0
        return facts.map { name, value in
            let padding = String(repeating: " ", count: width - DisplayWidth.of(name) + 3)
            return Style.quiet.apply(name, on: terminal) + padding + Printable.text(value) + "\n"
        }.joined()
    }
}

/// The message for a notice.
enum NoticeText {
    static func of(_ notice: NoticeResponse) -> String {
        let opener = notice.openedBy.map { " by \(Printable.text($0))" } ?? ""
        let opened = notice.openedAt.map { " at \(TimeText.short($0)) UTC" } ?? ""
        switch notice.type {
        case "recovery.opened":
            let end = notice.cancelBefore.map { " before \(TimeText.short($0)) UTC" } ?? ""
            return """
                A recovery of your credentials was opened\(opener)\(opened). Whoever has the new device sets new ones.
                If you did not ask for it, cancel it\(end):  tenure client recoveries cancel COMPANY EMPLOYEE --this-device
                """
        case "recovery.cancelled":
            return "The recovery of your credentials that was opened\(opener)\(opened) is cancelled now."
        case "return.opened":
            let end = notice.cancelBefore.map { " before \(TimeText.short($0)) UTC" } ?? ""
            return """
                A return was opened\(opened): a new device is about to get your role, and this one to lose it.
                If it is not yours, cancel it\(end):  tenure client return COMPANY EMPLOYEE --cancel
                """
        case "return.cancelled":
            return """
                The return that was opened\(opened) is cancelled now. If you did not ask for it, somebody knows your
                credentials:  tenure client change-credentials
                """
        case "return.completed":
            let end = notice.cancelBefore.map { " until \(TimeText.short($0)) UTC" } ?? ""
            return """
                A new device came back with the role of the security admin. If it is not yours, a former device can undo
                that\(end):  tenure client return COMPANY EMPLOYEE --cancel
                """
        case "return.unprepared":
            return """
                Prepare for the loss of this device now: verify your e-mail address (tenure client verify-email), or
                add a second device. Otherwise only the operator can bring you back.
                """
        default: return notice.type
        }
    }
}
