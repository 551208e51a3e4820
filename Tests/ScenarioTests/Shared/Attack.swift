import Canonical
import Foundation
import Testing

/// Somebody with a plan: what an attack needs besides the actors.
struct Attack: Sendable {
    /// The types of the events by which somebody decides about others.
    static let decisions: Set = [
        "EmployeeKeyAuthorized", "EmployeeKeyRefused", "EmployeeKeyRevoked", "EmployeeApproved", "EmployeeCancelled",
        "EmployeeReinstated", "EmailReclaimed", "AdminAppointed", "AdminDismissed", "SecurityAdminSucceeded",
        "TenantPolicyChanged", "AppLinked", "AppUnlinked", "EmployeeSessionsEnded", "InvitationIssued",
        "InvitationRevoked", "MPinPolicyChanged", "MPinLinked", "MPinIdentityVerified", "MPinRevoked",
        "MPinActivationIssued", "EmployeeEmailChanged", "ReturnCompleted", "ReturnCancelled",
    ]

    let client: Client
    let company: String
    let founder: Member

    /// A company of its own, with its founder.
    init(_ company: String, _ client: Client) async throws {
        self.client = client
        self.company = company
        founder = try await client.found(company)
    }

    /// A log-in by somebody who knows everything that the person knows, with a device key of the attacker's.
    func logIn(as person: Person, with device: Device) async throws -> HTTPReply {
        try await client.logIn(person, device)
    }

    /// Registers an employee whose key the founder signs for, so that the key can carry a role.
    func hire(_ id: String) async throws -> Member {
        let person = Person(id, at: company)
        let device = Device()
        let pending = try await client.register(person, device)
        try #require(pending.outcome == "authorizationPending", "\(pending)")
        return try await authorize(device, of: person)
    }

    /// Has the founder sign for a device key, and logs in with it.
    func authorize(_ device: Device, of person: Person) async throws -> Member {
        try await decided(decide("POST", client.path(person, "/keys/\(device.fingerprint)/authorization"), by: founder))
        return try Member(person, device, try await client.logIn(person, device))
    }

    /// Has an app vouch for one more device key of an employee, and logs in with it.
    func vouch(for person: Person) async throws -> Member {
        let device = Device()
        expectOutcome(try await client.logIn(person, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: person), "done")
        return try Member(person, device, try await client.logIn(person, device))
    }

    /// Appoints an employee whose key the founder signed for.
    func appoint(_ member: Member) async throws {
        try await decided(decide("POST", client.path(member.person, "/role"), ["role": "admin"], by: founder))
    }

    /// A decision by an employee, signed if the service asks for a signature.
    func decide(
        _ method: String = "POST", _ path: String, _ body: [String: JSONValue] = [:], by member: Member
    ) async throws -> HTTPReply {
        try await client.signed(by: member, method, path, body)
    }

    /// A decision about an employee's status by an employee.
    func decide(
        _ step: StatusStep, about person: Person, by member: Member
    ) async throws -> HTTPReply {
        try await decide("POST", client.path(person, step.rawValue), by: member)
    }

    /// A decision about an employee's status that nobody signs: the bearer's token, or an app's secret, is all there is.
    func decideUnsigned(_ step: StatusStep, about person: Person, by caller: Caller) async throws -> HTTPReply {
        try await client.post(client.path(person, step.rawValue), by: caller)
    }

    /// The founder links an app in some roles.
    func link(_ app: TestApp, roles: [String]) async throws -> HTTPReply {
        try await decide(
            "PUT", client.path(company, "/apps/\(app.appId)"), ["roles": .array(roles.map(JSONValue.string))],
            by: founder)
    }

    enum StatusStep: String, CaseIterable, Sendable {
        case approval = "/approval"
        case cancellation = "/cancellation"
        case reinstatement = "/reinstatement"
    }

    /// Requires that a decision of the arrangement was taken.
    func decided(_ reply: HTTPReply, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try #require(reply.status == 200 && reply.outcome == "done", "\(reply)", sourceLocation: sourceLocation)
    }

    /// The decisions in the company's ledger, each by position and type.
    func decisions() async throws -> [String] {
        try await client.events(company).compactMap { event in
            guard let type = event["type"]?.text, Self.decisions.contains(type) else { return nil }
            return "\(event["position"]?.number ?? 0) \(type)"
        }
    }

    /// Expects that an attack leaves no decision in the company's ledger.
    func expectNoDecision(
        sourceLocation: SourceLocation = #_sourceLocation, _ attack: () async throws -> Void
    ) async throws {
        let before = try await decisions()
        try await attack()
        let after = try await decisions()
        #expect(after == before, sourceLocation: sourceLocation)
    }
}

/// Expects that a call decided nothing: it is refused, or asks for a signature that the caller did not give.
func expectUndecided(_ reply: HTTPReply, sourceLocation: SourceLocation = #_sourceLocation) {
    let asksForSignature = reply.status == 200 && reply.outcome == "signatureRequired"
    #expect(asksForSignature || (400..<500).contains(reply.status), "\(reply)", sourceLocation: sourceLocation)
    #expect(reply["position"] == nil, "\(reply)", sourceLocation: sourceLocation)
}

/// Expects that a call is refused, whatever signatures it had.
func expectRefused(_ reply: HTTPReply, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect((400..<500).contains(reply.status), "\(reply)", sourceLocation: sourceLocation)
}
