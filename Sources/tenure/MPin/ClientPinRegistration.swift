import ArgumentParser
import TenureClient

/// Starts the registration of a PIN.
struct ClientPinRegister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Start the registration of a user id on this device.",
        discussion: """
            Example:
              tenure client pin register harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(help: "The activation code from an admin, which verifies the identity at once.")
    var code: String?

    @Option(help: "The name of this device, which the service shows.")
    var deviceName: String?

    @Option(help: "Text for whoever decides about the identity.")
    var userData: String?

    func run() async throws {
        let client = try await arguments.options.client()
        let mpin = arguments.options.mpin(client)
        let user = mpin.makeNewUser(arguments.user, deviceName: deviceName)
        let (company, code, data) = (arguments.company, code, userData)
        let status = try await Interruption.stopping {
            try CommandFailure.check(await mpin.setBackend(companyName: company))
            return await mpin.startRegistration(user, activateCode: code, userData: data)
        }
        try ClientPinReport(company: company, user: user, status: status).write(arguments.options)
    }
}

/// Starts the verification of an identity again.
struct ClientPinRestart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Have the identity verified again, for example by another mail.",
        discussion: """
            Example:
              tenure client pin restart harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(help: "Text for whoever decides about the identity.")
    var userData: String?

    func run() async throws {
        let data = userData
        try await arguments.run { _, mpin, user in (await mpin.restartRegistration(user, userData: data), [:]) }
    }
}

/// Links an identity to an employee's account.
struct ClientPinLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Link the identity to your account, signed with this device's key.",
        discussion: """
            You must be logged in on this device, and the user id must be your e-mail address or your employee id. A \
            linked identity is verified at once.

            Example:
              tenure client pin link harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Your employee id. Default: the last account used here.", valueName: "employee"))
    var employee: String?

    func run() async throws {
        let (company, employee) = (
            arguments.company, employee ?? arguments.options.lastAccount.name()?.companyEmployeeId
        )
        try await arguments.run { client, mpin, user in
            guard let employee,
                let session = try await client.session(companyName: company, companyEmployeeId: employee)
            else { throw TenureClientError(.notLoggedIn) }
            return (await mpin.link(user, session: session), [:])
        }
    }
}

/// Checks whether an identity is verified.
struct ClientPinConfirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Check whether the identity is verified and the key can be fetched.",
        discussion: """
            The key is not kept between commands; finish fetches it again.

            Example:
              tenure client pin confirm harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    func run() async throws {
        try await arguments.run { _, mpin, user in (await mpin.confirmRegistration(user), [:]) }
    }
}

/// Sets the PIN.
struct ClientPinFinish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "Fetch the key, choose the PIN, and prove it to the service.",
        discussion: """
            Example:
              tenure client pin finish harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    func run() async throws {
        try await arguments.run { _, mpin, user in
            let confirmed = await mpin.confirmRegistration(user)
            guard confirmed.status == .ok else { return (confirmed, [:]) }
            return (await mpin.finishRegistration(user, pin: try await TerminalPrompts().newPIN()), [:])
        }
    }
}
