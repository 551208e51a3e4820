import Canonical
import TenureClient

/// Shows how a flow ended. Tokens are kept on the device and never shown.
struct OutcomeReport: Sendable {
    private let outcome: FlowOutcome
    private let greeting: String
    private let credentials: String?

    /// Reports an outcome.
    ///
    /// - Parameters:
    ///   - greeting: What a person is told who is in.
    ///   - credentials: What other devices will show of new credentials.
    init(_ outcome: FlowOutcome, greeting: String = "You are in.", credentials: String? = nil) {
        self.outcome = outcome
        self.greeting = greeting
        self.credentials = credentials
    }

    /// Writes the outcome and remembers whose it was.
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
            return output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "outcome": "success", "companyName": .string(admission.companyName),
                        "companyEmployeeId": .string(admission.companyEmployeeId),
                        "status": .string(admission.status), "role": .string(admission.role),
                        "fingerprint": .string(admission.fingerprint),
                        "credentials": credentials.map(JSONValue.string),
                        "position": admission.position.map(JSONValue.integer),
                        "credentialsChangeRequired": admission.credentialsChangeRequired ? true : nil,
                    ])))
        }
        let facts = Facts(
            [
                ("Employee", admission.companyEmployeeId),
                ("Company", admission.companyName), ("Role", admission.role),
                ("Status", admission.status), ("Device", Fingerprint.readable(admission.fingerprint)),
            ] + (credentials.map { [("Credentials", Fingerprint.readable($0))] } ?? []))
        Output.standardError().line("\n" + greeting)
        output.write(facts.rendered(on: output.terminal))
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
            return output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "outcome": "authorizationPending", "companyName": .string(account.companyName),
                        "companyEmployeeId": .string(account.companyEmployeeId),
                        "employeePublicKey": .string(pending.employeePublicKey),
                        "fingerprint": .string(pending.fingerprint),
                        "credentials": credentials.map(JSONValue.string),
                        "position": pending.position.map(JSONValue.integer),
                    ])))
        }
        let company = ShellWord.quoteIfNeeded(account.companyName)
        let employee = ShellWord.quoteIfNeeded(account.companyEmployeeId)
        let words = Output.standardError()
        words.line("\nThis device's key has to be authorized. Whoever does it must see the same fingerprint:")
        output.write(
            Facts(
                [
                    ("Employee", account.companyEmployeeId), ("Company", account.companyName),
                    ("Device", pending.readableFingerprint),
                ] + (credentials.map { [("Credentials", Fingerprint.readable($0))] } ?? [])
            ).rendered(on: output.terminal))
        words.line(
            "They run:  tenure client authorize \(company) \(employee)\nThen you:  tenure client login \(company) \(employee)"
        )
    }
}

/// Names with values, aligned, one to a line.
struct Facts: Sendable {
    private let facts: [(name: String, value: String)]

    init(_ facts: [(name: String, value: String)]) { self.facts = facts }

    func rendered(on terminal: Terminal) -> String {
        let width = facts.map { DisplayWidth.of($0.name) }.max() ?? 0
        return facts.map { name, value in
            let padding = String(repeating: " ", count: width - DisplayWidth.of(name) + 3)
            return Style.quiet.apply(name, on: terminal) + padding + Printable.text(value) + "\n"
        }.joined()
    }
}
