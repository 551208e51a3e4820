import Canonical
import Foundation
import Ledger
import Postgres
import TenureAPI
import Testing

/// Two tenants that have nothing in common, and what stands at the captures of each route when one of them reaches for
/// the other.
struct CrossingScene: Sendable {
    /// A route that this scene cannot call.
    struct Unfilled: Error, CustomStringConvertible {
        let description: String
    }

    /// The tenant whose records are reached for.
    static let victim = "crossed.example"
    /// The tenant of whoever reaches for them.
    static let other = "crossing.example"
    /// A tenant that does not exist.
    static let absent = "never-was.example"
    /// The user id of the victim's M-Pin identity.
    private static let userID = "pin-\(victim)"

    /// The victim's app.
    let client: Client
    /// An app with all roles that only the other tenant is linked to.
    let stranger: Client
    /// The security admin of the victim.
    let owner: Member
    /// An employee of the victim, whose second device waits for authorization.
    let employee: Member
    let pending: Device
    /// The security admin of the other tenant.
    let intruder: Member
    /// A login of the victim's employee on its way, by the path of its kind.
    let flows: [String: String]
    /// A verified M-Pin identity of the victim.
    let identity: MPinEnrolment

    init(_ world: TenureWorld) async throws {
        client = try world.client
        stranger = client.by(try await world.makeApp(name: "crossing"))
        owner = try await client.found(Self.victim)
        employee = try await client.join(Person("employee", at: Self.victim))
        intruder = try await stranger.found(Self.other)
        pending = Device()
        expectOutcome(try await client.logIn(employee.person, pending), "authorizationPending")
        let newcomer = Person("newcomer", at: Self.victim)
        flows = [
            "registrations": try await Flow.register(newcomer, Device(), client).handle,
            "logins": try await Flow.logIn(employee.person, employee.device, client).handle,
            "credentials/changes": try await Flow.change(employee.person, employee.device, client).handle,
            "recoveries": try await Flow.recover(employee.person, Device(), client).handle,
            "returns": try await Flow.comeBack(employee.person, Device(), client).handle,
        ]
        let policy = try await client.signed(
            by: owner, "PATCH", client.path(Self.victim, "/mpin/policy"), ["verification": "application"])
        try #require(policy.outcome == "done", "\(policy)")
        identity = try MPinEnrolment(
            Self.userID,
            try await client.send(
                client.request(
                    "PUT", "/mpin/\(segment(Self.victim))/rps/user", ["userId": .string(Self.userID)],
                    by: .app(client.app))))
        try await client.settle(Self.victim)
    }

    /// Whose records a path names.
    enum Target: Sendable {
        /// The victim's, under the victim's name.
        case victim
        /// The same under the name of a tenant that does not exist.
        case absentTenant
        /// The victim's under the other tenant's name.
        case underOwnName
        /// Records that do not exist under the other tenant's name.
        case absentUnderOwnName
    }

    /// The path of a route.
    ///
    /// - Throws: ``Unfilled`` for a capture that has no value here: a new kind of record needs one, and then is tested.
    func path(_ endpoint: Endpoint, _ target: Target) throws -> String {
        let isAbsent = target == .absentUnderOwnName
        let company =
            switch target {
            case .victim: Self.victim
            case .absentTenant: Self.absent
            case .underOwnName, .absentUnderOwnName: Self.other
            }
        let absentId = "00000000-0000-4000-8000-000000000000"
        var values = [
            "companyName": segment(company),
            "companyEmployeeId": isAbsent ? "nobody" : segment(employee.person.id),
            "fingerprint": isAbsent ? String(repeating: "0", count: 64) : fingerprint(for: endpoint),
            "appId": isAbsent ? absentId : client.app.appId,
            "invitationId": isAbsent ? absentId : "00000000-0000-4000-8000-000000000001",
            "mpinId": isAbsent ? String(repeating: "7b7d", count: 32) : identity.mpinId,
            "identityId": isAbsent ? absentId : identity.identityId,
            "userId": isAbsent ? absentId : "00000000-0000-4000-8000-000000000001",
            "returnId": isAbsent ? absentId : "00000000-0000-4000-8000-000000000001",
            "grantId": isAbsent ? absentId : "00000000-0000-4000-8000-000000000001",
            "position": "1",
            "tile": "0/000.p/1",
        ]
        if let kind = flows.keys.first(where: { endpoint.template.text.hasPrefix("/v1/\($0)/") }) {
            values["flow"] = isAbsent ? Base64URL.encode([UInt8](repeating: 9, count: 48)) : flows[kind]
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

    /// The device that waits where a key is decided about, and the one in force where one is revoked.
    private func fingerprint(for endpoint: Endpoint) -> String {
        endpoint.template.text.hasSuffix("/revocation") ? employee.device.fingerprint : pending.fingerprint
    }

    /// A body that the route accepts, so that a refusal is about the caller.
    func body(of endpoint: Endpoint) -> JSONValue? {
        guard endpoint.method != "GET" else { return nil }
        if let body = mpinBody(of: endpoint) { return body }
        let signature: JSONValue = .string(Base64.encode([UInt8](repeating: 1, count: 64)))
        let last = endpoint.template.text.split(separator: "/").last.map(String.init) ?? ""
        return switch last {
        case "role": ["role": "admin"]
        case "policy": ["approval": "admin"]
        case "refusal", "revocation": ["reason": "lost"]
        case "reclaimed-emails": ["email": .string(employee.person.email), "reason": "a reason"]
        case "cancellation" where endpoint.template.text.contains("/recoveries/"): ["reason": "lost"]
        case "cancellation" where endpoint == .cancelReturn, "{returnId}": nil
        case "key": ["keyProof": signature]
        case "credentials" where endpoint == .changeCredentials:
            [
                "currentPassphrase": .string(employee.person.passphrase ?? ""),
                "credentials": employee.person.credentials,
            ]
        case "credentials": employee.person.credentials
        case "answers": ["answers": .array((1...3).map { ["questionId": .string("AAA\($0)"), "answer": "x"] })]
        case "passphrase": ["passphrase": .string(employee.person.passphrase ?? "")]
        case "evaluations": ["elements": .array([["slot": 255, "element": "AgAA"]])]
        case "proof": ["userSignature": "AQID"]
        case "invitations": ["companyEmployeeId": "invited"]
        default: endpoint.method == "DELETE" ? nil : [:]
        }
    }

    /// The same of an endpoint of M-Pin that needs a body; `nil` for other endpoints.
    private func mpinBody(of endpoint: Endpoint) -> JSONValue? {
        let userID: JSONValue = .string(Self.userID), regOTT: JSONValue = .string(identity.regOTT)
        return switch endpoint {
        case .startMPin: ["userId": userID]
        case .restartMPin: ["userId": userID, "regOTT": regOTT]
        case .activateMPin: ["activateKey": .string(String(repeating: "0", count: 64))]
        case .startMPinProof: ["mpin_id": .string(identity.mpinId), "U": .string(Self.point)]
        case .proveMPin: ["mpin_id": .string(identity.mpinId), "V": .string(Self.point)]
        case .redeemMPinProof, .logInByMPin: ["authOTT": .string(String(repeating: "A", count: 43))]
        case .linkMPin: ["regOTT": regOTT]
        case .issueMPinActivation:
            ["userId": userID, "subjectSalt": .string(Base64.encode([UInt8](repeating: 1, count: 32)))]
        case .changeMPinPolicy: ["enabled": false]
        default: nil
        }
    }

    /// The generator of the group of proofs, which is a point that every call accepts.
    private static let point =
        "04" + "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
        + "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"

    /// The callers of the other tenant who may call a route, by name.
    func callers(of endpoint: Endpoint) -> [(name: String, caller: Caller)] {
        let app = (name: "an app that is not linked", caller: Caller.app(stranger.app))
        let admin = (name: "an admin of another tenant", caller: intruder.session)
        return switch endpoint.access {
        case .anyone: []
        case .app: [app]
        case .employee: [admin]
        case .appOrEmployee: [app, admin]
        }
    }

    /// What only the victim may see.
    var marks: [String] {
        [
            Self.victim, owner.person.email, employee.person.email, owner.device.fingerprint,
            employee.device.fingerprint, pending.fingerprint, identity.mpinId, identity.identityId,
        ]
    }

    /// The number of events and sessions of the victim, which no attempt of another tenant changes.
    func state(_ world: TenureWorld) async throws -> [Int64] {
        let ledger = try await world.ledger(Self.victim).uuid
        return try await [
            world.number("SELECT count(*) FROM tenure.event WHERE ledger_id = \(ledger)"),
            world.number("SELECT count(*) FROM tenure.session WHERE ledger_id = \(ledger)"),
        ]
    }
}
