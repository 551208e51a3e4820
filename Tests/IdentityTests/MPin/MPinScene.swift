import Canonical
@testable import Identity
import Testing

/// M-Pin identities in every status, and the commands that lead there.
enum MPinScene {
    static let id = EventSamples.mpinIdentity
    static let start = Sample.start
    static let soon = start.adding(.seconds(60))
    /// After the window of a started registration and of a verification at the start.
    static let expired = start.adding(.seconds(3_600))
    static let user = "zoe@bayunsystems.com"

    static var subject: AuthoritySubject { AuthoritySubject(Scene.employee, of: Scene.user, role: .employee) }

    /// The device of the account that may be linked.
    static func device(
        _ key: PublicKeyBytes = Scene.firstKey, employee: EmployeeID = Scene.employee,
        status: EmployeeStatus = .active
    ) throws -> AuthorityDecision {
        try Scene.decision(
            Scene.person(employee, user: Scene.user, role: .employee, status: status, keys: [key]), key: key)
    }

    static func vouched() throws -> AuthorityDecision { try Scene.decision(Scene.appCaller()) }

    static func starting(
        _ policy: MPinPolicy = .initial, verifiedBy proof: MPinIdentity.VerificationProof? = nil, user: String = user
    ) throws -> MPinIdentity.Command {
        .start(
            MPinIdentity.Start(
                id: id, mpinIDHash: try Sample.bytes32(0xA0), userID: try MPinUserID(user),
                deviceName: try MPinDeviceText("Phone", field: "deviceName"), policy: policy, verifiedBy: proof,
                time: start))
    }

    static func link(
        _ decision: AuthorityDecision? = nil, subject: AuthoritySubject = subject,
        email: String = "Zoe@BayunSystems.com",
        policy: MPinPolicy = .initial, at time: Timestamp = soon
    ) throws -> MPinIdentity.Command {
        .link(
            MPinIdentity.Link(
                subject: subject, email: try EmailAddress(email), companyEmployeeID: try CompanyEmployeeID("204"),
                decision: try decision ?? device(), policy: policy, time: time))
    }

    static func issue(
        epoch: Int = 1, push: String? = nil, policy: MPinPolicy = .initial, linked status: EmployeeStatus? = nil,
        at time: Timestamp = soon
    ) throws -> MPinIdentity.Command {
        .issueKey(
            MPinIdentity.IssueKey(
                suite: .bls12381AMCL3SHA256, epoch: epoch,
                pushIdentifier: try push.map { try MPinDeviceText($0, field: "pushIdentifier") }, policy: policy,
                linkedStatus: status, time: time))
    }

    static func prove(
        _ isRight: Bool, policy: MPinPolicy = .initial, linked status: EmployeeStatus? = nil,
        at time: Timestamp = soon
    ) -> MPinIdentity.Command {
        .prove(MPinIdentity.Proof(isRight: isRight, policy: policy, linkedStatus: status, time: time))
    }

    static func revoke(
        _ decision: AuthorityDecision? = nil, account: AuthoritySubject? = nil, isReclaim: Bool = false
    ) throws -> MPinIdentity.Command {
        .revoke(
            MPinIdentity.Revoke(
                account: account, isReclaim: isReclaim, decision: try decision ?? Scene.decision(Scene.person())))
    }

    /// Decides a command and applies its events.
    @discardableResult
    static func run(
        _ command: MPinIdentity.Command, on state: inout MPinIdentity.State, at time: Timestamp = soon
    ) throws -> [MPinIdentityEvent] {
        let events = try MPinIdentity.decide(state, command)
        for event in events { MPinIdentity.evolve(&state, Sample.recorded(event, at: time)) }
        return events
    }

    /// The state after commands, each of which must be accepted.
    static func state(_ commands: [MPinIdentity.Command]) throws -> MPinIdentity.State {
        var state = MPinIdentity.initial
        for command in commands { try run(command, on: &state) }
        return state
    }

    static func started() throws -> MPinIdentity.State { try state([starting()]) }
    static func activated() throws -> MPinIdentity.State { try state([starting(), .verify(.email, at: start)]) }
    static func issued() throws -> MPinIdentity.State {
        try state([starting(), .verify(.email, at: start), issue()])
    }
    static func registered() throws -> MPinIdentity.State {
        try state([starting(), .verify(.email, at: start), issue(), prove(true)])
    }
    static func blocked() throws -> MPinIdentity.State {
        try state([starting(), .verify(.email, at: start), issue(), prove(false), prove(false), prove(false)])
    }
    static func revoked() throws -> MPinIdentity.State { try state([starting(), revoke()]) }

    /// The names of events, for comparison with the table.
    static func names(_ events: [MPinIdentityEvent]) -> [String] { events.map { type(of: $0.payload).type } }
}
