import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Every cell of the table of authority, as events that a compromised service appended: whoever may not decide is found
/// by name, and nobody else.
@Suite struct AuthorityMatrixTests {
    /// One decision, by somebody in one capacity.
    struct Cell: Sendable, CustomTestStringConvertible {
        let action: AuthorityTable.Action
        let standing: AuthorityTable.Standing
        let capacity: AuthorityTable.Capacity
        var policy = KeyAuthorization.application

        var isPermitted: Bool {
            let held: Set<AuthorityTable.Capacity> = capacity == .securityAdmin ? [.admin, .securityAdmin] : [capacity]
            return !held.isDisjoint(with: AuthorityTable.capacities(for: action, about: standing, under: policy))
        }
        var testDescription: String {
            "\(capacity.rawValue): \(action.rawValue), \(standing.rawValue), \(policy.rawValue)"
        }
    }

    /// The cells that an event can be about.
    static let cells: [Cell] = {
        var cells: [Cell] = []
        // By mail and time nobody signs: `ReturnHistoryTests` is about that.
        for capacity in AuthorityTable.Capacity.allCases where capacity != .mailAndTime {
            for standing in [AuthorityTable.Standing.employee, .admin, .securityAdmin] {
                // The security admin's own decision is the one by an own key.
                if standing == .securityAdmin, capacity == .securityAdmin { continue }
                for policy in KeyAuthorization.allCases {
                    cells.append(
                        Cell(action: .authorizeKey, standing: standing, capacity: capacity, policy: policy))
                }
                let actions: [AuthorityTable.Action] = [
                    .endKey, .cancel, .reclaimEmail, .endSessions, .erase, .openRecovery, .confirmRecovery,
                    .cancelRecovery, .linkMPin, .revokeMPin, .changeEmail,
                ]
                for action in actions { cells.append(Cell(action: action, standing: standing, capacity: capacity)) }
            }
            let aboutEmployees: [AuthorityTable.Action] = [
                .approve, .reinstate, .appointAdmin, .issueInvitation, .revokeInvitation, .verifyMPin,
            ]
            for action in aboutEmployees {
                cells.append(Cell(action: action, standing: .employee, capacity: capacity))
            }
            cells.append(Cell(action: .dismissAdmin, standing: .admin, capacity: capacity))
            if capacity != .ownKey {
                cells.append(Cell(action: .succeed, standing: .securityAdmin, capacity: capacity))
            }
            if capacity == .operator {
                cells.append(Cell(action: .returnToRole, standing: .securityAdmin, capacity: capacity))
            }
            if capacity != .securityAdmin {
                cells.append(Cell(action: .cancelReturn, standing: .securityAdmin, capacity: capacity))
            }
            for action in [AuthorityTable.Action.changePolicy, .linkApp, .confirmDomain, .changeMPinPolicy] {
                cells.append(Cell(action: action, standing: .tenant, capacity: capacity))
            }
            cells.append(Cell(action: .administerApps, standing: .installation, capacity: capacity))
        }
        return cells
    }()

    @Test(arguments: cells)
    func `verification reports a decision exactly if the table does not permit it`(cell: Cell) throws {
        var scene = try HistoryScene()
        try arrange(cell, &scene)
        try scene.history.expectLawful("before the decision")
        try decide(cell, &scene)
        guard !cell.isPermitted else { return try scene.history.expectLawful() }
        // A cancelled account has no key to sign with.
        if cell.action == .reinstate, cell.capacity == .ownKey {
            return try scene.history.expectFinding("the signer's key was not authorized then")
        }
        // The operator signs what the event says, and no event with sealed texts: these differ each time.
        if cell.capacity == .operator, [.reclaimEmail, .issueInvitation, .changeEmail].contains(cell.action) {
            return try scene.history.expectFinding("the operator's statement is about something else")
        }
        let subject = "the decision is about \(cell.standing.rawValue)"
        try scene.history.expectFinding("the caller may not \(cell.action.rawValue); \(subject)")
    }

    /// Whom a decision is about.
    private func subject(_ cell: Cell, _ scene: HistoryScene) -> SignedHistory.Member {
        switch cell.action {
        case .approve: scene.newcomer
        // Nobody opens one of the security admin; an admin may become that while one is open.
        case .confirmRecovery where cell.standing == .securityAdmin,
            .cancelRecovery where cell.standing == .securityAdmin:
            scene.peer
        default: scene.subject(cell.standing)
        }
    }

    /// Who decides, in the capacity of the cell.
    private func decider(_ cell: Cell, _ scene: HistoryScene) -> SignedHistory.Decider {
        // Whoever opened a recovery does not confirm it, so another security admin does.
        if cell.action == .confirmRecovery, cell.capacity == .securityAdmin { return scene.asAdmin }
        return scene.decider(cell.capacity, about: subject(cell, scene))
    }

    /// What has to be before the decision, all lawful.
    func arrange(_ cell: Cell, _ scene: inout HistoryScene) throws {
        let founder = scene.asFounder, subject = subject(cell, scene)
        switch cell.action {
        case .authorizeKey:
            if cell.policy != .application {
                try scene.change(TenantPolicy(keyAuthorization: cell.policy), by: founder)
            }
            try scene.history.present(scene.waiting, of: subject)
        case .endKey: try scene.history.present(scene.waiting, of: subject)
        case .approve:
            try scene.change(TenantPolicy(approval: .admin), by: founder)
            try scene.history.register(scene.newcomer, approved: false)
            try scene.history.present(scene.newcomer.device, of: scene.newcomer)
            try scene.authorize(scene.newcomer.device, of: scene.newcomer, by: founder)
        case .reinstate: try scene.cancel(subject, by: .app(scene.personnel))
        case .reclaimEmail: try scene.confirmDomain()
        case .succeed: try scene.logIn(scene.founder)
        case .confirmRecovery, .cancelRecovery:
            try scene.openRecovery(of: subject, for: scene.waiting, by: founder)
            let isConfirmedBySuccessor = cell.action == .confirmRecovery && cell.capacity == .securityAdmin
            guard isConfirmedBySuccessor || cell.standing == .securityAdmin else { return }
            try scene.logIn(scene.founder)
            try scene.succeed(isConfirmedBySuccessor ? scene.admin : scene.peer, by: founder)
        case .returnToRole: try scene.history.present(scene.waiting, of: subject)
        case .cancelReturn:
            try scene.leaveAlone()
            try scene.openReturn()
        case .revokeInvitation: try scene.invite(by: founder)
        case .verifyMPin, .linkMPin: try scene.startMPin()
        case .revokeMPin:
            try scene.startMPin()
            try scene.linkMPin(to: subject, by: .member(subject, subject.device))
        default: break
        }
    }

    func decide(_ cell: Cell, _ scene: inout HistoryScene) throws {
        let member = subject(cell, scene), decider = decider(cell, scene)
        switch cell.action {
        case .authorizeKey: try scene.authorize(scene.waiting, of: member, by: decider)
        case .endKey: try scene.end(.refuse, scene.waiting, of: member, by: decider)
        case .cancel: try scene.cancel(member, by: decider)
        case .reinstate: try scene.reinstate(member, by: decider)
        case .approve:
            try scene.decide(.approve, about: member, by: decider) { EmployeeApproved(employeeID: member.id, by: $0) }
        case .endSessions:
            let reason = try #require(ReasonCode("lost"))
            try scene.decide(.endSessions, about: member, by: decider) {
                EmployeeSessionsEnded(employeeID: member.id, reason: reason, by: $0)
            }
        case .reclaimEmail: try reclaim(member, by: decider, &scene)
        case .changeEmail: try scene.changeEmail(of: member, by: decider)
        case .erase:
            try scene.decide(.cancel, about: member, by: decider) { EmployeeErased(employeeID: member.id, by: $0) }
        case .appointAdmin: try scene.appoint(member, keys: [member.device], by: decider)
        case .dismissAdmin: try scene.dismiss(member, by: decider)
        case .succeed: try scene.succeed(scene.peer, by: decider)
        case .returnToRole: try scene.bringBack(by: decider)
        case .cancelReturn: try scene.cancelReturn(by: decider)
        case .openRecovery: try scene.openRecovery(of: member, for: scene.waiting, by: decider)
        case .confirmRecovery: try scene.confirmRecovery(of: member, for: scene.waiting, by: decider)
        case .cancelRecovery: try scene.cancelRecovery(of: member, for: scene.waiting, by: decider)
        case .issueInvitation: try scene.invite(by: decider)
        case .revokeInvitation: try scene.revokeInvitation(by: decider)
        case .changePolicy: try scene.change(TenantPolicy(approval: .admin), by: decider)
        case .linkApp: try scene.unlink(scene.personnel.app, by: decider)
        case .confirmDomain: try confirmDomain(by: decider, &scene)
        case .verifyMPin: try scene.verifyMPin(by: decider)
        case .linkMPin: try scene.linkMPin(to: member, by: decider)
        case .revokeMPin: try scene.revokeMPin(of: member, by: decider)
        case .changeMPinPolicy: try scene.changeMPin(MPinPolicy(maximumFailures: 5), by: decider)
        case .administerApps: try registerApp(by: decider, &scene)
        }
    }

    private func reclaim(
        _ member: SignedHistory.Member, by decider: SignedHistory.Decider, _ scene: inout HistoryScene
    ) throws {
        let statement = try scene.reclaimStatement(member, by: decider)
        try scene.history.append(
            {
                EmailReclaimed(
                    employeeID: member.id, userID: member.user, reason: Personal(member.id, "left"), by: $0)
            }, by: decider, to: .employee(member.id, in: scene.history.tenant), statement)
    }

    private func confirmDomain(by decider: SignedHistory.Decider, _ scene: inout HistoryScene) throws {
        // Nobody but the operator has a statement for it, so another one stands there.
        let statement = try scene.roleStatement(.dismiss, scene.staff, keys: nil, by: decider)
        try scene.history.append(
            { DomainConfirmed(domain: "acme.example", aLabel: "acme.example", by: $0) }, by: decider,
            to: .tenant(scene.history.tenant),
            statement)
    }

    private func registerApp(by decider: SignedHistory.Decider, _ scene: inout HistoryScene) throws {
        let statement = try scene.roleStatement(.dismiss, scene.staff, keys: nil, by: decider)
        let app = AppID(UUID()), salt = try #require(Bytes32([UInt8](repeating: 2, count: 32)))
        try scene.history.append(
            { AppRegistered(appID: app, name: "another", salt: salt, by: $0) }, by: decider, to: .app(app), statement)
    }

    /// A new action cannot be forgotten.
    @Test func `every action of the table has its cells`() {
        #expect(Set(Self.cells.map(\.action)) == Set(AuthorityTable.Action.allCases))
    }
}
