import Foundation
@testable import Identity
import Testing

@Suite struct `The table of authority` {
    typealias Table = AuthorityTable

    /// The table as the specification writes it: action, standing, capacities.
    static let rows: [(Table.Action, Table.Standing, Set<Table.Capacity>)] = [
        (.authorizeKey, .employee, [.authorizingApp, .admin, .ownKey]),
        (.authorizeKey, .admin, [.securityAdmin, .ownKey]),
        (.authorizeKey, .securityAdmin, [.ownKey]),
        (.endKey, .employee, [.authorizingApp, .admin, .ownKey]),
        (.endKey, .admin, [.securityAdmin, .ownKey]),
        (.endKey, .securityAdmin, [.ownKey]),
        (.approve, .employee, [.admin, .administeringApp]), (.approve, .admin, [.securityAdmin]),
        (.cancel, .employee, [.admin, .administeringApp]), (.cancel, .admin, [.securityAdmin]),
        (.reinstate, .employee, [.admin, .administeringApp]), (.reinstate, .admin, [.securityAdmin]),
        (.reclaimEmail, .employee, [.admin, .administeringApp]), (.reclaimEmail, .admin, [.securityAdmin]),
        (.endSessions, .employee, [.admin, .administeringApp]), (.endSessions, .admin, [.securityAdmin]),
        (.appointAdmin, .employee, [.securityAdmin]), (.dismissAdmin, .admin, [.securityAdmin]),
        (.succeed, .securityAdmin, [.securityAdmin, .operator]),
        (.returnToRole, .securityAdmin, [.operator, .mailAndTime]), (.cancelReturn, .securityAdmin, [.ownKey]),
        (.openRecovery, .employee, [.admin]), (.openRecovery, .admin, [.securityAdmin]),
        (.confirmRecovery, .employee, [.admin, .ownKey]), (.confirmRecovery, .admin, [.admin, .ownKey]),
        (.cancelRecovery, .employee, [.admin, .ownKey]), (.cancelRecovery, .admin, [.admin, .ownKey]),
        (.cancelRecovery, .securityAdmin, [.admin, .ownKey]),
        (.issueInvitation, .employee, [.admin, .administeringApp]),
        (.revokeInvitation, .employee, [.admin, .administeringApp]),
        (.changePolicy, .tenant, [.securityAdmin]), (.linkApp, .tenant, [.securityAdmin, .operator]),
        (.confirmDomain, .tenant, [.operator]),
        (.erase, .employee, [.operator]), (.erase, .admin, [.operator]), (.erase, .securityAdmin, [.operator]),
        (.administerApps, .installation, [.operator]),
        (.verifyMPin, .employee, [.authorizingApp, .admin]),
        (.changeEmail, .employee, [.ownKey]), (.changeEmail, .admin, [.ownKey]),
        (.changeEmail, .securityAdmin, [.ownKey]),
        (.linkMPin, .employee, [.ownKey]), (.linkMPin, .admin, [.ownKey]), (.linkMPin, .securityAdmin, [.ownKey]),
        (.revokeMPin, .employee, [.authorizingApp, .admin, .ownKey]),
        (.revokeMPin, .admin, [.securityAdmin, .ownKey]), (.revokeMPin, .securityAdmin, [.ownKey]),
        (.changeMPinPolicy, .tenant, [.securityAdmin]),
    ]

    @Test func `equals the specification, with no further permissions`() {
        for action in Table.Action.allCases {
            for standing in Table.Standing.allCases {
                let expected = Self.rows.first { $0.0 == action && $0.1 == standing }?.2 ?? []
                #expect(Table.capacities(for: action, about: standing) == expected, "\(action) \(standing)")
            }
        }
    }

    @Test(arguments: KeyAuthorization.allCases)
    func `no policy lets an app decide about an admin`(policy: KeyAuthorization) {
        for action in Table.Action.allCases {
            for standing in [Table.Standing.admin, .securityAdmin, .tenant, .installation] {
                let capacities = Table.capacities(for: action, about: standing, under: policy)
                #expect(capacities.isDisjoint(with: [.authorizingApp, .administeringApp]), "\(action) \(standing)")
            }
        }
    }

    @Test func `under the policy securityAdmin admins authorize, and all callers may still end keys`() {
        #expect(Table.capacities(for: .authorizeKey, about: .employee, under: .securityAdmin) == [.admin])
        #expect(
            Table.capacities(for: .endKey, about: .employee, under: .securityAdmin)
                == Table.capacities(for: .endKey, about: .employee))
    }

    @Test func `an app's capacities are the roles that its secret and its link share`() throws {
        let all = RoleSet(.access, .creation, .authorization, .administration)
        let cases: [(RoleSet, RoleSet?, Set<Table.Capacity>)] = [
            (all, all, [.authorizingApp, .administeringApp]), (all, .usual, [.authorizingApp]),
            (.usual, all, [.authorizingApp]), (RoleSet(.administration), all, [.administeringApp]),
            (RoleSet(.administration), .usual, []), (all, nil, []), (RoleSet(.access), all, []),
        ]
        for (roles, link, expected) in cases {
            let decision = try Scene.decision(Scene.appCaller(roles: roles, link: link))
            #expect(
                decision.capacities(toward: .newcomer, for: .approve) == expected,
                "\(roles) \(String(describing: link))")
        }
    }

    @Test func `a person acts in a role only with a key that carries it`() throws {
        let other = AuthoritySubject(Scene.employee, of: Scene.user, role: .employee)
        func capacities(_ caller: DecidingParty, _ key: PublicKeyBytes = Scene.adminKey) throws -> Set<Table.Capacity> {
            try Scene.decision(caller, key: key).capacities(toward: other, for: .approve)
        }
        #expect(try capacities(Scene.person()) == [.admin])
        #expect(try capacities(Scene.securityAdmin) == [.admin, .securityAdmin])
        #expect(try capacities(Scene.person(role: .employee)) == [])
        #expect(try capacities(Scene.person(roleKeys: [])) == [], "an app vouched for the key")
        #expect(try capacities(Scene.person(), Scene.otherKey) == [], "another key")
        for status in [EmployeeStatus.cancelled, .registered] {
            #expect(try capacities(Scene.person(status: status)) == [])
        }
        #expect(try capacities(Scene.person(user: Scene.user)) == [], "another account of the subject's user")
        #expect(try capacities(.operator(Scene.operatorKey), Scene.operatorKey) == [.operator])
        #expect(try capacities(.operator(Scene.operatorKey), Scene.adminKey) == [])
    }

    @Test func `an admin decides about their own account only with a key that carries the role`() throws {
        let own = AuthoritySubject(Scene.admin, of: Sample.id(30), role: .admin)
        #expect(try Scene.decision(Scene.person()).capacities(toward: own, for: .endKey) == [.ownKey])
        #expect(try Scene.decision(Scene.person(roleKeys: [])).capacities(toward: own, for: .endKey) == [])
        let ordinary = AuthoritySubject(Scene.admin, of: Sample.id(30), role: .employee)
        #expect(
            try Scene.decision(Scene.person(role: .employee)).capacities(toward: ordinary, for: .endKey) == [.ownKey])
    }

    @Test func `a statement signed with another key gives no authority`() throws {
        let decision = AuthorityDecision(
            caller: Scene.person(keys: [Scene.adminKey, Scene.otherKey]), signer: Scene.adminKey,
            statement: try Sample.statement(by: Scene.otherKey))
        #expect(decision.capacities(toward: .newcomer, for: .approve) == [])
    }
}

/// The documented table is the one that the deciders and verification ask.
@Suite struct AuthorityTableMarkdownTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/authority.md")

    @Test func `docs/authority.md contains the table that the code prints`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let parts = text.components(separatedBy: "<!-- AuthorityTable.markdown -->\n")
        try #require(parts.count == 3, "the table stands between two marks")
        #expect(
            parts[1] == AuthorityTable.markdown + "\n",
            "Print the table anew and put this between the marks:\n\(AuthorityTable.markdown)")
    }

    @Test func `no app decides about an admin, whatever the action and the policy`() {
        let apps: Set<AuthorityTable.Capacity> = [.authorizingApp, .administeringApp]
        for action in AuthorityTable.Action.allCases {
            for policy in KeyAuthorization.allCases {
                for standing in [AuthorityTable.Standing.admin, .securityAdmin, .tenant, .installation] {
                    let held = AuthorityTable.capacities(for: action, about: standing, under: policy)
                    #expect(held.isDisjoint(with: apps), "\(action) about \(standing)")
                }
            }
        }
    }
}

extension AuthorityTable {
    /// The table as Markdown, generated from the code: a row for each action, a column for each standing.
    ///
    /// A dash means that no capacity may decide. A policy has a row of its own if it changes the answer.
    static var markdown: String {
        let columns: [Column] = [
            Column(title: "about an ordinary employee", standings: [.employee]),
            Column(title: "about an admin", standings: [.admin]),
            Column(title: "about the security admin", standings: [.securityAdmin]),
            Column(title: "about the tenant or the installation", standings: [.tenant, .installation]),
        ]
        var lines = [
            "| decision | " + columns.map(\.title).joined(separator: " | ") + " |",
            "|---" + String(repeating: "|---", count: columns.count) + "|",
        ]
        for action in Action.allCases {
            let usual = columns.map { cell(action, $0.standings, .application) }
            lines.append(row(action.rawValue, usual))
            for policy in KeyAuthorization.allCases where policy != .application {
                let cells = columns.map { cell(action, $0.standings, policy) }
                if cells != usual { lines.append(row("\(action.rawValue), policy `\(policy.rawValue)`", cells)) }
            }
        }
        return lines.joined(separator: "\n")
    }

    private struct Column {
        let title: String
        let standings: [Standing]
    }

    private static func row(_ title: String, _ cells: [String]) -> String {
        "| \(title) | " + cells.joined(separator: " | ") + " |"
    }

    private static func cell(_ action: Action, _ standings: [Standing], _ policy: KeyAuthorization) -> String {
        let held = standings.reduce(into: Set<Capacity>()) {
            $0.formUnion(capacities(for: action, about: $1, under: policy))
        }
        let words = Capacity.allCases.filter(held.contains).map(\.rawValue)
        return words.isEmpty ? "–" : words.joined(separator: "; ")
    }
}
