import ArgumentParser
import Canonical
import FoundationEssentials
import IdentityService
import TenureAPI

/// Registers an app as a client of the OpenID provider.
struct AppClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Register an app as a client that logs people in with OpenID Connect.",
        discussion: """
            With --create it creates the app, registers it and links it in each --tenant, all or nothing, and shows the \
            app's secret once. Otherwise it replaces all that was registered about the client before. Redirect URIs are compared byte by \
            byte: register them exactly as the client sends them. The client takes people of the listed companies only, \
            and each company must link the app: app link. Without --tenant and --any-tenant it takes nobody.

            Examples:
              tenure app client --create Wiki --redirect https://wiki.example/callback --tenant bayunsystems.com
              tenure app client 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f --redirect https://app.example.com/callback \
            --tenant bayunsystems.com
              tenure app client 7d0c1c4e-2f0b-4a57-9d2c-0f6b8c1d2e3f --redirect https://spa.example.com/ \
            --origin https://spa.example.com --public --any-tenant
            """)

    @Argument(help: "The app's id; leave it out with --create.", transform: UUID.argument)
    var app: UUID?

    @Option(
        help: ArgumentHelp("Create the app under this unique name, and link it in each --tenant.", valueName: "name"))
    var create: String?

    @Option(
        name: .customLong("role"),
        help: "With --create, a role of the app and its links; may be repeated. Default: ACCESS.",
        transform: AppLinkRequest.Role.argument)
    var roles: [AppLinkRequest.Role] = []

    @Flag(
        help: ArgumentHelp(
            "With --create, link the pages for browsers in each --tenant too.",
            discussion: "The service has their secret: whoever controls it can authorize ordinary people."))
    var pages = false

    @Flag(help: "With --create, print the app's secret as a JSON object.")
    var json = false

    @Option(name: .customLong("redirect"), help: "A redirect URI; may be repeated, up to 16 times.")
    var redirects: [String]

    @Option(
        name: .customLong("post-logout"),
        help: "A URI to which the browser may be sent after a log-out; may be repeated."
    )
    var postLogout: [String] = []

    @Option(
        name: .customLong("origin"),
        help:
            "An origin whose scripts may call the endpoints of tokens, such as https://spa.example.com; may be repeated."
    )
    var origins: [String] = []

    @Option(name: .customLong("tenant"), help: "The name of a company whose people the client takes; may be repeated.")
    var tenants: [String] = []

    @Flag(help: "Take the people of every company that links the app.")
    var anyTenant = false

    @Flag(name: .customLong("public"), help: "The client cannot keep a secret, as a script in a browser cannot.")
    var isPublic = false

    @Option(help: "The algorithm of its ID tokens: RS256, which every client knows, or ES256.")
    var idToken = "RS256"

    @Option(help: "When people are asked for their consent: none, once or always.")
    var consent = "none"

    @Option(
        help: """
            Whether a client with a secret must use PKCE: required, or optional until it has used it once. A client \
            without a secret always must.
            """)
    var pkce = "optional"

    @OptionGroup var options: OperatorKeyOptions

    func validate() throws {
        guard (app == nil) != (create == nil) else {
            throw ValidationError("Name an existing app by its id, or a new one with --create.")
        }
        guard create != nil || (roles.isEmpty && !pages && !json) else {
            throw ValidationError("--role, --pages and --json need --create.")
        }
        guard !pages || !tenants.isEmpty else { throw ValidationError("--pages needs --tenant.") }
        guard !anyTenant || tenants.isEmpty else { throw ValidationError("--any-tenant takes no --tenant.") }
    }

    func run() async throws {
        let entry = ClientEntry(
            redirects: redirects, postLogout: postLogout, origins: origins, tenants: anyTenant ? nil : tenants,
            isPublic: isPublic, idToken: idToken, consent: consent, pkce: pkce)
        let (id, changed) = try await register(entry)
        let words = Output.standardError()
        words.line(changed ? "Registered." : "Nothing changed: the client is registered so.")
        for redirect in entry.unassuredRedirects {
            words.line(
                """
                Warning: any program on a person's computer can be answered at \(redirect). The client is asked for at \
                each log-in, gets no answer in silence (prompt=none), and stays logged in for seven days at most. \
                Register a redirect of https if you can.
                """)
        }
        guard changed else { return }
        if entry.tenants == [] {
            words.line("The client takes nobody yet: name companies with --tenant, or --any-tenant.")
        } else if create == nil || anyTenant {
            words.line("Each company must link the app: tenure app link \(id.lowercased) COMPANY")
        }
    }

    /// Registers the client, of a new app if one is to be created.
    private func register(_ entry: ClientEntry) async throws -> (app: UUID, changed: Bool) {
        let (app, create, roles, pages, json) = (app, create, roles, pages, json)
        return try await OperatorSession.run(try await options.settings()) { commands in
            if let app { return (app, try await commands.changeClient(appId: app, entry)) }
            let issued = try await commands.createApp(
                name: create ?? "", roles: roles.isEmpty ? [.access] : Set(roles), client: entry, linksPages: pages
            ) { try IssuedSecretReport($0).write(json: json) }
            return (issued.appId, true)
        }
    }
}

extension ClientView {
    /// The object of a list. A client that takes people of any tenant has no list of tenants.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "redirects": .array(redirects.map(JSONValue.string)),
            "postLogout": .array(postLogout.map(JSONValue.string)), "origins": .array(origins.map(JSONValue.string)),
            "anyTenant": .bool(tenants == nil), "public": .bool(isPublic), "idToken": .string(idToken),
            "consent": .string(consent), "pkce": .string(pkce),
        ]
        members["tenants"] = tenants.map { .array($0.map { .string($0.lowercased) }) }
        return .object(members)
    }
}
