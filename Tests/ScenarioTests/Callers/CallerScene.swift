import Canonical
import Foundation
import TenureAPI
import Testing

/// A company with a caller of every kind, and a request of every operation that is in order: so a refusal is about the
/// caller.
struct CallerScene: Sendable {
    /// An operation that this scene cannot call.
    struct Unfilled: Error, CustomStringConvertible {
        let description: String
    }

    /// The company that paths name.
    static let company = "callers.example"

    /// The app, with the roles of its first secret.
    let client: Client
    /// An app with a company of its own.
    private let stranger: Client
    /// The app with secrets of one role each.
    private let apps: [CallerKind: Client]
    var members: [CallerKind: Member]
    /// An employee whose account is cancelled and reinstated.
    private let leaver: Member
    /// The refresh token of the leaver's session.
    var refreshToken: String
    /// A linked app other than the one that calls.
    private let linked: TestApp
    /// Devices of the employee named: two wait, one is authorized.
    private let devices: [Endpoint: Device]
    private let flows: [String: String]
    /// M-Pin identities: one that waits for verification, one to link, and one that is linked to the employee named.
    let identities: [Endpoint: MPinEnrolment]

    init(_ world: TenureWorld) async throws {
        let client = try world.client
        let stranger = client.by(try await world.makeApp(name: "other company"))
        let owner = try await client.found(Self.company)
        let company = client.path(Self.company)
        func decide(_ method: String, _ rest: String, _ body: [String: JSONValue], by member: Member) async throws {
            let reply = try await client.signed(by: member, method, company + rest, body)
            try #require(reply.outcome == "done", "\(rest): \(reply)")
        }
        let roles = ["ACCESS", "CREATION", "AUTHORIZATION", "ADMINISTRATION"]
        try await decide("PUT", "/apps/\(client.app.appId)", ["roles": .array(roles.map(JSONValue.string))], by: owner)
        try await decide("PATCH", "/mpin/policy", ["verification": "application"], by: owner)
        var apps: [CallerKind: Client] = [:]
        for kind in CallerKind.allCases {
            guard let role = kind.role else { continue }
            apps[kind] = client.with(secret: try await world.issueSecret(for: client.app, roles: [role]))
        }
        let linked = try await world.makeApp(name: "linked")
        try await world.linkApp(linked, to: Self.company)
        let employee = try await client.join(Person("employee", at: Self.company))
        let named = try await client.join(Person("named", at: Self.company))
        let appointed = try await client.join(Person("admin", at: Self.company))
        try await client.appoint(appointed, by: owner)
        leaver = try await client.join(Person("leaver", at: Self.company))
        refreshToken = leaver.refreshToken
        members = [
            .employee: employee, .own: named, .admin: try await client.again(appointed), .securityAdmin: owner,
            .foreign: try await stranger.found("other-callers.example"),
        ]
        devices = try await Self.devices(of: named, client)
        flows = try await Self.flows(of: named, client)
        identities = try await Self.identities(of: named, try #require(apps[.creation]), client)
        self.client = client
        self.stranger = stranger
        self.apps = apps
        self.linked = linked
        try await client.settle(Self.company)
    }

    /// Presents three more device keys of an employee and authorizes the last.
    private static func devices(of member: Member, _ client: Client) async throws -> [Endpoint: Device] {
        var devices: [Endpoint: Device] = [:]
        for endpoint in [Endpoint.authorizeKey, .refuseKey, .revokeKey] {
            let device = Device()
            expectOutcome(try await client.logIn(member.person, device), "authorizationPending")
            if endpoint == .revokeKey {
                expectOutcome(try await client.authorize(device, of: member.person), "done")
            }
            devices[endpoint] = device
        }
        return devices
    }

    /// One flow of each kind, by its path. None goes on, because no call proves the device key.
    private static func flows(of member: Member, _ client: Client) async throws -> [String: String] {
        [
            "registrations": try await Flow.register(Person("newcomer", at: company), Device(), client).handle,
            "logins": try await Flow.logIn(member.person, member.device, client).handle,
            "credentials/changes": try await Flow.change(member.person, member.device, client).handle,
            "recoveries": try await Flow.recover(member.person, Device(), client).handle,
            "returns": try await Flow.comeBack(member.person, Device(), client).handle,
        ]
    }

    /// Starts three M-Pin registrations with an app that cannot verify, and links the last.
    private static func identities(
        of member: Member, _ app: Client, _ client: Client
    ) async throws -> [Endpoint: MPinEnrolment] {
        let names: [(Endpoint, String)] = [
            (.verifyMPin, "somebody"), (.linkMPin, member.person.id), (.revokeMPin, member.person.email),
        ]
        var identities: [Endpoint: MPinEnrolment] = [:]
        for (endpoint, userID) in names {
            let path = "/mpin/\(segment(company))/rps/user"
            let started = try await app.send(app.request("PUT", path, ["userId": .string(userID)]))
            identities[endpoint] = try MPinEnrolment(userID, started)
        }
        let linked = try #require(identities[.revokeMPin])
        let path = client.path(company, "/mpin/identities/\(linked.identityId)/link")
        let reply = try await client.signed(by: member, "POST", path, ["regOTT": .string(linked.regOTT)])
        try #require(reply.outcome == "done", "\(reply)")
        return identities
    }
}

// MARK: Calls

extension CallerScene {
    /// Calls an operation. A caller whose session the call may end logs in before and afterwards.
    mutating func call(_ endpoint: Endpoint, as kind: CallerKind) async throws -> HTTPReply {
        let endsSessions = endpoint == .closeSession || endpoint == .endSessions
        if endsSessions { try await logInAgain(kind) }
        let reply = try await client.send(try request(endpoint, kind))
        if endsSessions { try await logInAgain(kind) }
        if endpoint == .refreshSession, let token = reply["refreshToken"]?.text { refreshToken = token }
        return reply
    }

    /// Logs everybody in again: an access token lives five minutes.
    mutating func logInAgain() async throws {
        for kind in CallerKind.allCases { try await logInAgain(kind) }
    }

    private mutating func logInAgain(_ kind: CallerKind) async throws {
        guard let member = members[kind] else { return }
        members[kind] = try await (kind == .foreign ? stranger : client).again(member)
    }

    private func caller(_ kind: CallerKind) throws -> Caller {
        if kind.isEmployee { return try #require(members[kind]).session }
        switch kind {
        case .nobody: return .nobody
        case .unlinked: return .app(stranger.app)
        default: return .app(try #require(apps[kind]).app)
        }
    }

    private func request(_ endpoint: Endpoint, _ kind: CallerKind) throws -> HTTPRequest {
        let path = try path(endpoint, kind), caller = try caller(kind)
        let kindOfBody = endpoint.terms?.body.kind
        guard kindOfBody == .form || kindOfBody == .optionalForm else {
            // A call that takes no body gets none: it would be refused for that, whoever sends it.
            let json = try endpoint.terms?.body.kind == EndpointBody.Kind.none ? nil : body(of: endpoint)
            return HTTPRequest(endpoint.method, path, by: caller, json: json)
        }
        var request = HTTPRequest(endpoint.method, path, by: caller)
        request.body = Array("token=unknown".utf8)
        return request.with("Content-Type", "application/x-www-form-urlencoded")
    }

    /// The path of an operation about the employee named, or about the leaver where the account is decided about.
    ///
    /// - Throws: ``Unfilled`` for a capture that has no value here: a new kind of record needs one, and then is tested.
    private func path(_ endpoint: Endpoint, _ kind: CallerKind) throws -> String {
        let ofStatus: [Endpoint] = [.approveEmployee, .cancelEmployee, .reinstateEmployee, .endEmployeeSessions]
        let named = try #require(members[.own])
        let subject = ofStatus.contains(endpoint) && kind != .own ? leaver : named
        let identity = try #require(identities[endpoint] ?? identities[.verifyMPin])
        var values = [
            "companyName": segment(Self.company), "companyEmployeeId": segment(subject.person.id),
            "fingerprint": devices[endpoint]?.fingerprint ?? String(repeating: "0", count: 64),
            "appId": linked.appId, "invitationId": "00000000-0000-4000-8000-000000000001",
            "mpinId": identity.mpinId, "identityId": identity.identityId,
            "returnId": "00000000-0000-4000-8000-000000000001", "grantId": "00000000-0000-4000-8000-000000000001",
            "userId": "00000000-0000-4000-8000-000000000001", "position": "1", "tile": "0/000.p/1",
        ]
        if let flow = flows.first(where: { endpoint.template.text.hasPrefix("/v1/\($0.key)/") }) {
            values["flow"] = flow.value
        }
        var path = endpoint.template.text
        for capture in endpoint.template.captures {
            guard let value = values[capture] else {
                throw Unfilled(description: "nothing stands for {\(capture)} of \(endpoint)")
            }
            path = path.replacing("{\(capture)}", with: value)
        }
        return path
    }
}
