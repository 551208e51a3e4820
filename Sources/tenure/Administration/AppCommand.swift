import ArgumentParser
import Canonical
import ErrorCodes
import FoundationEssentials
import Identity
import IdentityService
import Projections
import TenureAPI

/// Manages the apps that call the service.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Manage apps, their secrets and their resources.",
        discussion: """
            Examples:
              tenure app create "Harbour portal" --role ACCESS --role CREATION
              tenure app link 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f bayunsystems.com
            """,
        subcommands: [
            AppCreate.self, AppList.self, AppLinkCommand.self, AppAddRole.self, AppRotateSecret.self,
            AppRevokeSecret.self,
            AppAddResource.self, AppRemoveResource.self, AppClient.self, AppEnd.self,
        ])
}

/// Registers an app and issues its first secret.
struct AppCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Register an app and issue its first secret, which is shown once.",
        discussion: """
            Example:
              tenure app create "Harbour portal" --role ACCESS --role CREATION
            """)

    @Argument(help: "The app's unique name.")
    var name: String

    @Option(
        name: .customLong("role"),
        help: "ACCESS, CREATION, AUTHORIZATION or ADMINISTRATION; may be repeated.",
        transform: AppLinkRequest.Role.argument)
    var roles: [AppLinkRequest.Role]

    @Flag(
        help: ArgumentHelp(
            "Let users choose questions that are not in the published list.",
            discussion: "Such a question reveals to anyone that the account exists."))
    var customQuestions = false

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let (name, roles, customQuestions, json) = (name, Set(roles), customQuestions, json)
        let issued = try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.createApp(name: name, roles: roles, customQuestions: customQuestions) {
                try IssuedSecretReport($0).write(json: json)
            }
        }
        if !json {
            let words = Output.standardError()
            words.line("Next, link the app to each company that it serves and did not found itself:")
            words.line("  tenure app link \(issued.appId.lowercased) COMPANY")
        }
    }
}

extension AppLinkRequest.Role {
    /// Parses a role from the command line.
    static func argument(_ text: String) throws -> AppLinkRequest.Role {
        guard let role = AppLinkRequest.Role(rawValue: text.uppercased()) else {
            throw ValidationError(
                "\(text) is not a role. The roles are ACCESS, CREATION, AUTHORIZATION and ADMINISTRATION.")
        }
        return role
    }
}

/// Shows a secret, before it counts. It is stored nowhere and cannot be shown again: a secret that counts and was not
/// written would be lost, and one that was written and does not count opens nothing.
struct IssuedSecretReport {
    private let members: [(name: String, value: String)]

    init(_ issued: OperatorUseCases.IssuedSecret) {
        members = [
            ("appId", issued.appId.lowercased), ("secretId", issued.secretId.lowercased), ("appSecret", issued.secret),
            ("appSalt", issued.salt),
        ]
    }

    /// Writes the secret completely.
    ///
    /// - Throws: ``CommandFailure`` with exit code 1; then the secret must not be issued.
    func write(json: Bool) throws {
        do { try writeAll(json: json) } catch var failure as CommandFailure {
            failure.message += "; no secret was issued"
            throw failure
        }
    }

    private func writeAll(json: Bool) throws {
        let output = Output.standardOutput()
        if json {
            let object = Dictionary(uniqueKeysWithValues: members.map { ($0.name, JSONValue.string($0.value)) })
            try output.write(JSONLines.line(.object(object)))
        } else {
            for (name, value) in members {
                try output.line(name + String(repeating: " ", count: 11 - name.count) + value)
            }
            Output.standardError().line("The secret is not stored and cannot be shown again.")
        }
        try output.settled()
    }
}

struct AppList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the apps with their valid secrets and their resources.",
        discussion: """
            Examples:
              tenure app list
              tenure app list --json
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print one JSON object per app.")
    var json = false

    func run() async throws {
        let apps = try await OperatorSession.run(try await options.settings()) { try await $0.apps() }
        let output = Output.standardOutput()
        if json {
            for app in apps { try output.write(JSONLines.line(Self.json(app))) }
        } else {
            try output.write(Self.table(apps).rendered(on: output.terminal))
        }
    }

    /// The table of some apps: a line for each app, below it its secrets, and beside them its resources.
    private static func table(_ apps: [OperatorUseCases.AppView]) -> Table {
        var table = Table([
            .init(title: "App"), .init(title: "Name"), .init(title: "Secret"), .init(title: "Roles"),
            .init(title: "Resource"),
        ])
        for app in apps {
            table.add([app.appId.lowercased, app.name, app.secrets.isEmpty ? "none in force" : ""])
            for line in 0..<max(app.secrets.count, app.resources.count) {
                let secret = line < app.secrets.count ? app.secrets[line] : nil
                table.add([
                    "", "", secret?.secretId.lowercased ?? "",
                    secret?.roles.map { $0.uppercased() }.joined(separator: " ") ?? "",
                    line < app.resources.count ? app.resources[line] : "",
                ])
            }
        }
        return table
    }

    private static func json(_ app: OperatorUseCases.AppView) -> JSONValue {
        let secrets = app.secrets.map { secret in
            JSONValue.object([
                "secretId": .string(secret.secretId.lowercased),
                "roles": .array(secret.roles.map { .string($0.uppercased()) }),
            ])
        }
        var members: [String: JSONValue] = [
            "appId": .string(app.appId.lowercased), "name": .string(app.name), "secrets": .array(secrets),
            "resources": .array(app.resources.map(JSONValue.string)),
        ]
        if app.isPagesApp { members["pages"] = .bool(true) }
        members["client"] = app.client.map(\.json)
        return .object(members)
    }
}

/// Links an app to a tenant, or removes the link.
struct AppLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Link an app to a company, or remove the link.",
        discussion: """
            An existing link keeps its roles unless --role names others.

            Examples:
              tenure app link 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f bayunsystems.com
              tenure app link 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f bayunsystems.com --role ACCESS
              tenure app link 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f bayunsystems.com --remove
              tenure app link bayunsystems.com --pages
            """)

    @Argument(help: ArgumentHelp("The app's id; leave it out with --pages.", valueName: "app"))
    var first: String

    @Argument(help: ArgumentHelp("The company's name.", valueName: "company"))
    var second: String?

    @Flag(
        help: ArgumentHelp(
            "Link the app that the pages for browsers act as.",
            discussion: "The service has that app's secret: whoever controls it can authorize ordinary people."))
    var pages = false

    @Flag(help: "Remove the link.")
    var remove = false

    @Option(
        name: .customLong("role"),
        help: ArgumentHelp(
            "A role of the link; may be repeated. Default: those of an existing link, else ACCESS, CREATION and "
                + "AUTHORIZATION."),
        transform: AppLinkRequest.Role.argument)
    var roles: [AppLinkRequest.Role] = []

    @OptionGroup var options: OperatorKeyOptions

    func validate() throws {
        guard !remove || roles.isEmpty else { throw ValidationError("--remove takes no --role.") }
        _ = try named()
    }

    /// The app, `nil` for that of the pages, and the company.
    func named() throws -> (app: UUID?, company: String) {
        guard let second else {
            guard pages else { throw ValidationError("Name the app and the company, or --pages and the company.") }
            return (nil, first)
        }
        guard !pages else { throw ValidationError("--pages takes the place of the app: name the company only.") }
        return (try UUID.argument(first), second)
    }

    func run() async throws {
        let (target, company) = try named()
        let remove = remove
        let roles = roles.isEmpty ? nil : Set(roles)
        let words = try await OperatorSession.run(try await options.settings()) { commands in
            let pages = target == nil ? try await commands.pagesApp() : nil
            guard let app = target ?? pages else { throw PagesError.disabled }
            if remove {
                let wasLinked = try await commands.unlinkApp(app, from: company)
                return wasLinked ? "Unlinked." : "Nothing changed: the app is not linked."
            }
            let link = try await commands.linkApp(app, to: company, roles: roles)
            let names = link.roles.map(\.rawValue).sorted().joined(separator: " ")
            return link.changed
                ? "Linked, with the roles \(names)." : "Nothing changed: linked, with the roles \(names)."
        }
        Output.standardError().line(words)
    }
}

/// Extends the roles of an app.
struct AppAddRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-role", abstract: "Give an app further roles, by a further secret that is shown once.",
        discussion: """
            A secret keeps the roles that it was issued with. The new secret has the roles of the old one and the \
            added ones. The old secret stays valid while you roll the new one out. Then end it with app revoke-secret \
            --keep-sessions. A company's link needs the roles too: app link.

            Example:
              tenure app add-role 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f --role ADMINISTRATION
            """)

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Option(
        name: .customLong("role"),
        help: "The role to add: ACCESS, CREATION, AUTHORIZATION or ADMINISTRATION; may be repeated.",
        transform: AppLinkRequest.Role.argument)
    var roles: [AppLinkRequest.Role]

    @Option(
        help: "The id of the secret whose roles are extended. Needed if the app has several in force.",
        transform: UUID.argument)
    var secret: UUID?

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let (app, roles, secret, json) = (app, Set(roles), secret, json)
        let issued = try await OperatorSession.run(try await options.settings()) { commands in
            do {
                return try await commands.addRoles(roles, toApp: app, extending: secret) {
                    try IssuedSecretReport($0).write(json: json)
                }
            } catch AppRoleError.nothingToAdd {
                throw CommandFailure(.failure, "nothing changed: the secret has the roles already")
            } catch AppRoleError.severalSecrets {
                throw CommandFailure(
                    .usage, "the app has several secrets in force",
                    remedy: "Name the one to extend with --secret; tenure app list shows them.")
            } catch let error as ServiceError where error.code == .appSecretInvalid {
                throw CommandFailure(.notFound, "the app has no such secret in force")
            } catch let error as ServiceError where error.code == .appUnknown {
                throw CommandFailure(.notFound, "there is no such app")
            }
        }
        if !json {
            let words = Output.standardError()
            words.line("The old secret stays valid. Give each company's link the roles too:")
            words.line("  tenure app link \(issued.appId.lowercased) COMPANY --role …")
        }
    }
}

extension UUID {
    /// Parses a UUID in canonical form (36 characters) from the command line.
    static func argument(_ text: String) throws -> UUID {
        guard let id = UUID(entered: text) else { throw ValidationError("\(text) is not a UUID.") }
        return id
    }
}

/// Replaces a secret by a new one with the same roles.
struct AppRotateSecret: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret", abstract: "Replace a secret by a new one with the same roles.",
        discussion: """
            The old secret stops working; sessions that it opened continue. With --keep it stays valid while you roll \
            the new one out. Then end it with app revoke-secret --keep-sessions.

            Example:
              tenure app rotate-secret 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f 0b1f6f5a-7f3f-4c0e-8a57-3c5c2f0b9d21
            """)

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(help: "The id of the secret to replace. The new one gets its roles.", transform: UUID.argument)
    var secret: UUID

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Keep the old secret valid.")
    var keep = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let (app, secret, keep, json) = (app, secret, keep, json)
        _ = try await OperatorSession.run(try await options.settings()) { commands in
            guard let found = try await commands.apps().first(where: { $0.appId == app }) else {
                throw CommandFailure(.notFound, "there is no such app")
            }
            guard let old = found.secrets.first(where: { $0.secretId == secret }) else {
                throw CommandFailure(.notFound, "the app has no such secret in force")
            }
            let handOver = { (issued: OperatorUseCases.IssuedSecret) in
                try IssuedSecretReport(issued).write(json: json)
            }
            guard keep else {
                return try await commands.rotateSecret(appId: app, secretId: secret, handOver: handOver)
            }
            return try await commands.issueSecret(
                appId: app, roles: Set(old.roles.map(AppLinkRequest.Role.argument)), handOver: handOver)
        }
    }
}

struct AppRevokeSecret: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-secret", abstract: "Revoke a secret permanently, and end the sessions that it opened.",
        discussion: """
            Example:
              tenure app revoke-secret 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f 0b1f6f5a-7f3f-4c0e-8a57-3c5c2f0b9d21
            """)

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(help: "The secret's id.", transform: UUID.argument)
    var secret: UUID

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Keep the sessions that it opened.")
    var keepSessions = false

    func run() async throws {
        let (app, secret, keepSessions) = (app, secret, keepSessions)
        try await OperatorSession.run(try await options.settings()) { commands in
            if keepSessions {
                try await commands.retireSecret(appId: app, secretId: secret)
            } else {
                try await commands.revokeSecret(appId: app, secretId: secret)
            }
        }
        Output.standardError().line(keepSessions ? "Retired." : "Revoked.")
    }
}

/// Ends an app.
struct AppEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End an app for good, with its secrets and sessions, and free its name.",
        discussion: """
            Its grants as a client end too, and links of companies to it mean nothing any more. There is no way back: \
            an app that gets the name later is another one. With TENURE_READER_DATABASE_URL it first names the companies \
            that link no other app with ACCESS: nobody could log in there any more.

            Example:
              tenure app end 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f
            """)

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let (app, words) = (app, Output.standardError())
        let settings = try await options.settings()
        if let left = try await companiesLeft(settings) {
            for company in left {
                words.line("Nobody will be able to log in to \(company): it links no other app with ACCESS.")
            }
        } else if !yes {
            words.line("Set TENURE_READER_DATABASE_URL to see which companies link no other app with ACCESS.")
        }
        if !yes {
            words.line("Everybody is logged out of the app, and its secrets are worth nothing any more.")
            try Confirmation.ask("Type end to go on: ", expecting: "end", words)
        }
        try await OperatorSession.run(settings) { try await $0.endApp(app) }
        words.line("Ended. Its name is free.")
    }

    /// The names of the companies that could log nobody in without the app; `nil` without the reader role, which alone
    /// sees all companies. The log decides about those that the projection finds.
    private func companiesLeft(_ settings: Settings) async throws -> [String]? {
        guard settings.text(.readerDatabaseUrl) != nil else { return nil }
        let app = app
        let linking = try await KeySession.reading(settings) { pool in
            try await LinkedCompany.page(
                of: AppID(app), after: Timestamp(microseconds: 0), limit: Int(Int32.max), pool)
        }
        let left = try await OperatorSession.run(settings) { commands in
            try await commands.tenants(linking.map(\.id), leftWithout: app)
        }
        return linking.filter { left.contains($0.id) }.map { Printable.text($0.companyName) }
    }
}

/// The app and the resource that a command is about.
struct AppResourceOptions: ParsableArguments {
    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(
        help: "The resource: an absolute URI without a fragment, at most 255 bytes, such as https://api.example.com/.")
    var uri: String
}

/// Registers a resource of an app.
struct AppAddResource: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-resource", abstract: "Register a URI that access tokens can be meant for (RFC 8707).",
        discussion: """
            An employee who logged in through the app can then request a token whose audience is this URI. The URI is \
            compared byte by byte: register it exactly as the verifier expects it. An app has at most 32.

            Example:
              tenure app add-resource 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f https://api.example.com/
            """)

    @OptionGroup var resource: AppResourceOptions

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let (app, uri) = (resource.app, resource.uri)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.addResource(appId: app, resource: uri)
        }
        Output.standardError().line("Added.")
    }
}

struct AppRemoveResource: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-resource", abstract: "Remove a URI that access tokens can be meant for.",
        discussion: """
            Introspection refuses tokens for the URI from then on. Whoever verifies tokens without introspection \
            accepts those already issued until they expire, five minutes at most. No session ends.

            Example:
              tenure app remove-resource 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f https://api.example.com/
            """)

    @OptionGroup var resource: AppResourceOptions

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let (app, uri) = (resource.app, resource.uri)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.removeResource(appId: app, resource: uri)
        }
        Output.standardError().line("Removed.")
    }
}
