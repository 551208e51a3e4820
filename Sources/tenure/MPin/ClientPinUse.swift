import ArgumentParser
import Canonical
import Foundation
import TenureAPI
import TenureClient

/// Authenticates with the PIN.
struct ClientPinLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Authenticate with the PIN.",
        discussion: """
            This proves the identity. With --as it also opens a session of a linked account, if the company permits \
            that. With --authorization-code it prints the code for a back end instead of asking for the verdict.

            Example:
              tenure client pin login harbour.example anna@harbour.example --as anna
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Open a session of this account.", valueName: "employee"))
    var employee: String?

    @Flag(help: "Print the authorization code, which is not redeemed.")
    var authorizationCode = false

    func validate() throws {
        if employee != nil && authorizationCode {
            throw ValidationError("Use either --as or --authorization-code.")
        }
    }

    func run() async throws {
        if let employee { return try await openSession(of: employee) }
        let isCode = authorizationCode
        try await arguments.run(isProof: true) { _, mpin, user in
            let started = await mpin.startAuthentication(user)
            guard started.status == .ok else { return (started, [:]) }
            let pin = try await TerminalPrompts().pin()
            guard isCode else {
                let status = await mpin.finishAuthentication(user, pin: pin)
                return (status, user.employee?.companyEmployeeId.map { ["companyEmployeeId": $0] } ?? [:])
            }
            let (status, code) = await mpin.finishAuthenticationMFA(user, pin: pin)
            return (status, code.map { ["authorizationCode": $0] } ?? [:])
        }
    }

    private func openSession(of employee: String) async throws {
        let client = try await arguments.options.client()
        let mpin = arguments.options.mpin(client)
        let (company, id) = (arguments.company, arguments.user)
        let (user, status, outcome) = try await Interruption.stopping {
            try CommandFailure.check(await mpin.setBackend(companyName: company))
            let user = try await ClientPinUser.stored(id, of: company, in: mpin, at: client)
            let started = await mpin.startAuthentication(user)
            guard started.status == .ok else { return (user, started, FlowOutcome?.none) }
            let (status, outcome) = await mpin.logIn(
                user, pin: try await TerminalPrompts().pin(), companyName: company, companyEmployeeId: employee)
            return (user, status, outcome)
        }
        if let outcome { return try OutcomeReport(outcome).write(arguments.options) }
        try ClientPinReport(company: company, user: user, status: status).write(arguments.options)
    }
}

/// Lists the users of this device.
struct ClientPinList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the users of a company on this device. Needs no service.",
        discussion: """
            Example:
              tenure client pin list harbour.example
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (status, users) = await options.mpin(client)
            .listUsers(of: MPinClient.address(of: company, at: client.baseURL))
        try CommandFailure.check(status)
        let output = Output.standardOutput()
        guard !options.json else {
            for user in users {
                try output.write(
                    JSONLines.line(
                        .objectOmittingNil([
                            "companyName": .string(company), "userId": .string(user.id),
                            "state": .string(user.getState().rawValue),
                            "identityId": user.identityId.map(JSONValue.uuid),
                            "deviceName": user.deviceName.map(JSONValue.string),
                        ])))
            }
            return
        }
        guard !users.isEmpty else {
            return Output.standardError().line("This device has no users of \(Printable.text(company)).")
        }
        var table = Table([.init(title: "User"), .init(title: "State"), .init(title: "Identity")])
        for user in users {
            table.add([user.id, user.getState().rawValue, user.identityId?.uuidString.lowercased() ?? ""])
        }
        try output.write(table.rendered(on: output.terminal))
    }
}

/// Erases a user from this device.
struct ClientPinDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Erase a user's token from this device. Needs no service.",
        discussion: """
            The service is not told. An admin, or the linked account, revokes an identity there.

            Example:
              tenure client pin delete harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    func run() async throws {
        let client = try await arguments.options.client()
        let mpin = arguments.options.mpin(client)
        let user = try await ClientPinUser.stored(arguments.user, of: arguments.company, in: mpin, at: client)
        let status = await mpin.deleteUser(user)
        try ClientPinReport(company: arguments.company, user: user, status: status).write(arguments.options)
    }
}
