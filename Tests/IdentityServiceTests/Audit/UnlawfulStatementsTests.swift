import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Statements that are signed by somebody who may, and are about something else or another past.
@Suite struct UnlawfulStatementsTests {
    private static let hash = [UInt8](repeating: 9, count: 32)

    /// Changes to the statement about a key, each with the words that name it.
    private static let changes: [(words: String, change: @Sendable (inout KeyStatement) throws -> Void)] = [
        ("the statement is of another company, or names another signer", { $0.context.tenant = UUID() }),
        ("the statement names no event that gives authority", { $0.context.authority = hash }),
        ("the statement refers to another ledger", { $0.context.ledgerRoot = hash }),
        ("the statement refers to later events", { $0.context.ledgerSize = 1_000 }),
        ("the statement is about another key", { $0.employee = UUID() }),
        ("the statement is about an earlier or later presentation of the key", { $0.presentedHash = hash }),
        ("the statement was made under another policy", { $0.policyHash = hash }),
        (
            "the statement names a size of the system ledger, and no app signed it",
            { $0.context.systemSize = 1 }
        ),
    ]

    @Test(arguments: changes.indices)
    func `verification reports a statement that does not match the key decision`(index: Int) throws {
        let (words, change) = Self.changes[index]
        var scene = try HistoryScene()
        try scene.history.present(scene.waiting, of: scene.staff)
        try scene.authorize(
            scene.waiting, of: scene.staff, by: .member(scene.admin, scene.admin.device), change: change)
        try scene.history.expectFinding(words)
    }

    /// An expiry has a grace of 15 minutes, and a slow clock of the signer does no harm.
    @Test func `verification reports a statement that was appended after its expiry`() throws {
        for (seconds, isFound) in [(1_700, false), (1_900, true)] {
            var scene = try HistoryScene()
            let by = try scene.status(.cancel, scene.staff, by: scene.asAdmin)
            scene.history.time = scene.history.time.adding(.seconds(seconds))
            try scene.history.append(
                EmployeeCancelled(employeeID: scene.staff.id, reason: .cancelled, by: by), about: scene.staff)
            if isFound {
                try scene.history.expectFinding("the statement had expired")
            } else {
                try scene.history.expectLawful()
            }
        }
        var slow = try HistoryScene()
        try slow.history.present(slow.waiting, of: slow.staff)
        let expires = slow.history.time.adding(.seconds(-3_600 + 900))
        try slow.authorize(slow.waiting, of: slow.staff, by: slow.asAdmin) { $0.context.expires = expires }
        try slow.history.expectLawful()
    }

    @Test func `verification reports a statement about another role, link, policy, employee or address`() throws {
        let words = "the statement is about something else"
        func expect(_ violate: (inout HistoryScene, SignedHistory.Decider) throws -> Void) throws {
            var scene = try HistoryScene()
            try violate(&scene, .member(scene.founder, scene.founder.device))
            try scene.history.expectFinding(words)
        }
        try expect { scene, founder in
            // Signed for one key, recorded with another.
            let by = try scene.role(.appoint, scene.staff, keys: [scene.staff.device], by: founder)
            try scene.history.append(
                AdminAppointed(
                    employeeID: scene.staff.id, fingerprints: HistoryScene.fingerprints([scene.staff.vouched]), by: by))
        }
        try expect { scene, founder in
            let by = try scene.role(.dismiss, scene.admin, keys: nil, by: founder)
            try scene.history.append(AdminDismissed(employeeID: scene.peer.id, by: by))
        }
        try expect { scene, founder in
            let by = try scene.status(.cancel, scene.peer, by: founder)
            try scene.history.append(
                EmployeeCancelled(employeeID: scene.staff.id, reason: .cancelled, by: by), about: scene.staff)
        }
        try expect { scene, founder in
            try scene.confirmDomain()
            let by = try scene.reclaim(scene.peer, by: founder)
            try scene.history.append(
                EmailReclaimed(
                    employeeID: scene.staff.id, userID: scene.staff.user, reason: Personal(scene.staff.id, "r"),
                    by: by), about: scene.staff)
        }
        try expect { scene, founder in
            let by = try scene.history.signed(
                founder,
                PolicyStatement(
                    context: try scene.history.context(founder), settings: TenantPolicy(blindOnly: true).settings,
                    policyHash: nil))
            try scene.history.append(TenantPolicyChanged(policy: TenantPolicy(approval: .admin), by: by))
        }
        try expect { scene, founder in
            let by = try scene.history.signed(
                founder,
                AppLinkStatement(
                    context: try scene.history.context(founder), action: .link,
                    app: scene.personnel.app.description, roles: ["access"], reason: "linked"))
            try scene.history.append(AppLinked(appID: scene.personnel.app, roles: .usual, by: by))
        }
    }

    @Test func `verification reports a statement of another kind or with a broken signature`() throws {
        var scene = try HistoryScene()
        let founder = SignedHistory.Decider.member(scene.founder, scene.founder.device)
        let by = try scene.status(.approve, scene.staff, by: founder)
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.staff.id, reason: .cancelled, by: by), about: scene.staff)
        try scene.history.expectFinding("the statement is of another kind")

        var broken = try HistoryScene()
        let right = try broken.status(.cancel, broken.staff, by: .member(broken.founder, broken.founder.device))
        let other = try broken.status(.cancel, broken.peer, by: .member(broken.founder, broken.founder.device))
        let signed = try #require(right.statement), foreign = try #require(other.statement)
        let forged = Authority.employee(
            broken.founder.id,
            SignedStatement(key: signed.key, statement: signed.statement, signature: foreign.signature))
        try broken.history.append(
            EmployeeCancelled(employeeID: broken.staff.id, reason: .cancelled, by: forged), about: broken.staff)
        try broken.history.expectFinding("a signature or its signed bytes are not valid")
    }

    // MARK: Two ledgers

    private func vouch(_ change: @escaping (inout KeyStatement) throws -> Void) -> (inout HistoryScene) throws -> Void {
        { scene in try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app), change: change) }
    }

    @Test func `an app's statement is checked against the system ledger that it names`() throws {
        var scene = try HistoryScene()
        try scene.history.present(scene.waiting, of: scene.staff)
        let before = scene
        try vouch { _ in }(&scene)
        try scene.history.expectLawful()
        let changes: [(String, (inout KeyStatement) -> Void)] = [
            ("the app's statement does not name the size of the system ledger", { $0.context.systemSize = nil }),
            ("the app's statement refers to a system ledger that lacks its secret", { $0.context.systemSize = 1 }),
        ]
        for (words, change) in changes {
            var scene = before
            try vouch(change)(&scene)
            try scene.history.expectFinding(words)
        }
        var late = before
        try late.history.revoke(late.app)
        try vouch { _ in }(&late)
        try late.history.expectFinding("the app's secret had ended in the system ledger that the statement refers to")
    }

    @Test func `checkpoints reveal an app's statement with an outdated system ledger`() throws {
        var scene = try HistoryScene()
        try scene.history.present(scene.waiting, of: scene.staff)
        let size = try #require(try scene.history.context(.app(scene.app)).systemSize)
        try scene.history.revoke(scene.app)
        try scene.history.seal()
        let soon = scene
        // The service died between the append and the seal: the next one has the event within a minute.
        var lawful = soon
        try vouch { $0.context.systemSize = size }(&lawful)
        lawful.history.time = lawful.history.time.adding(.seconds(30))
        try lawful.history.seal()
        try lawful.history.expectLawful()
        // Sealed an hour after the end of the secret was: vouched for when the secret had ended.
        try vouch { $0.context.systemSize = size }(&scene)
        let position = scene.history.last
        scene.history.time = scene.history.time.adding(.seconds(3_600))
        try scene.history.seal()
        #expect(
            try scene.history.verify().findings == [
                .init(position: position, words: "the app's secret had ended before the event was sealed")
            ])
    }

    @Test func `verification reports a foreign operator key and unsigned events of apps`() throws {
        var scene = try HistoryScene()
        let other = try SigningKeyPair()
        let stream = StreamID.tenant(scene.history.tenant)
        try scene.history.append(
            scene.history.byOperator(other, on: stream) {
                DomainConfirmed(domain: "acme.example", aLabel: "acme.example", by: $0)
            })
        try scene.history.expectFinding("the decision is signed with a key that is not the operator's")

        var forked = try HistoryScene()
        let forkedStream = StreamID.tenant(forked.history.tenant)
        try forked.history.append(
            forked.history.byOperator(on: forkedStream, seeing: Self.hash) {
                DomainConfirmed(domain: "acme.example", aLabel: "acme.example", by: $0)
            })
        try forked.history.expectFinding("the operator's statement refers to another system ledger")

        func expect(_ words: String, _ append: (inout SignedHistory, AppID) throws -> Void) throws {
            var history = try HistoryScene().history
            try append(&history, AppID(UUID()))
            let found = try history.verify().findings
            #expect(found == [.init(position: -Int64(history.system.count), words: words)], "\(found)")
        }
        let salt = try #require(Bytes32(Self.hash))
        try expect("the decision to register an app, change its secrets, resources or client data has no signature") {
            try $0.append(AppRegistered(appID: $1, name: "n", salt: salt, by: .operator(nil)), to: .app($1))
        }
        try expect("the log is founded a second time") { history, _ in try history.found() }
        try expect("the operator's statement refers to another system ledger") { history, app in
            let event = try history.byOperator(on: .app(app), seeing: Self.hash) {
                AppRegistered(appID: app, name: "n", salt: salt, by: $0)
            }
            try history.append(event, to: .app(app))
        }
        try expect("the decision is signed with a key that is not the operator's") { history, app in
            let event = try history.byOperator(other, on: .app(app)) {
                AppRegistered(appID: app, name: "n", salt: salt, by: $0)
            }
            try history.append(event, to: .app(app))
        }
    }

    @Test func `verification reports decisions of an operator whom the log does not name`() throws {
        let events = try HistoryScene().history.system.dropFirst()
        func findings(isWhole: Bool) -> Set<String> {
            var authority = SystemAuthority()
            authority.isWhole = isWhole
            return Set(events.compactMap { authority.follow($0) })
        }
        #expect(findings(isWhole: true) == ["the log names no operator key"])
        #expect(findings(isWhole: false) == [], "a bundle may lack the founding event")
    }

    @Test func `verification reports resources that the operator did not decide about`() throws {
        let added = try ResourceIndicator("https://api.example.com/"), other = try SigningKeyPair()
        var scene = try HistoryScene()
        let app = scene.app.app, stream = StreamID.app(app)
        func add(_ by: Authority) -> AppResourceAdded { AppResourceAdded(appID: app, resource: added, by: by) }
        func remove(_ by: Authority) -> AppResourceRemoved { AppResourceRemoved(appID: app, resource: added, by: by) }
        try scene.history.append(scene.history.byOperator(on: stream, add), to: stream)
        try scene.history.append(scene.history.byOperator(on: stream, remove), to: stream)
        try scene.history.expectLawful()

        let signed = try scene.history.byOperator(on: stream, add).by
        let unlawful: [(payload: any EventPayload, words: String)] = [
            (
                add(.operator(nil)),
                "the decision to register an app, change its secrets, resources or client data has no signature"
            ),
            (
                try scene.history.byOperator(other, on: stream, add),
                "the decision is signed with a key that is not the operator's"
            ),
            (
                AppResourceAdded(appID: app, resource: try ResourceIndicator("https://evil.example/"), by: signed),
                "the operator's statement is about something else"
            ),
            (remove(signed), "the operator's statement is about something else"),
        ]
        for (payload, words) in unlawful {
            var history = scene.history
            try history.append(payload, to: stream)
            try history.expectFinding(words)
        }
    }

    @Test func `verification reports an app of the pages that the operator did not name`() throws {
        let other = try SigningKeyPair()
        var scene = try HistoryScene()
        let app = scene.app.app, stream = StreamID.app(app), foreign = AppID(UUID())
        func enable(_ by: Authority) -> PagesEnabled { PagesEnabled(appID: app, by: by) }
        try scene.history.append(scene.history.byOperator(on: stream, enable), to: stream)
        try scene.history.expectLawful()

        let signed = try scene.history.byOperator(on: stream, enable).by
        let unlawful: [(payload: any EventPayload, words: String)] = [
            (
                enable(.operator(nil)),
                "the decision to register an app, change its secrets, resources or client data has no signature"
            ),
            (
                try scene.history.byOperator(other, on: stream, enable),
                "the decision is signed with a key that is not the operator's"
            ),
            (PagesEnabled(appID: foreign, by: signed), "the operator's statement is about something else"),
        ]
        for (payload, words) in unlawful {
            var history = scene.history
            try history.append(payload, to: stream)
            try history.expectFinding(words)
        }
    }

    @Test func `verification reports the end of an app that the operator did not decide, and what comes after one`()
        throws
    {
        let other = try SigningKeyPair()
        var scene = try HistoryScene()
        let app = scene.app.app, stream = StreamID.app(app)
        let client = try ClientRegistration(redirects: [ClientURI("https://app.example/")])
        func end(_ by: Authority) -> AppEnded { AppEnded(appID: app, by: by) }
        func change(_ by: Authority) -> AppClientChanged { AppClientChanged(appID: app, client: client, by: by) }
        var forged = scene.history
        try forged.append(forged.byOperator(other, on: stream, end), to: stream)
        try forged.expectFinding("the decision is signed with a key that is not the operator's")

        try scene.history.append(scene.history.byOperator(on: stream, end), to: stream)
        try scene.history.expectLawful()
        for payload in [
            try scene.history.byOperator(on: stream, end), try scene.history.byOperator(on: stream, change),
        ] as [any EventPayload] {
            var history = scene.history
            try history.append(payload, to: stream)
            try history.expectFinding("the app had ended")
        }
    }

    @Test func `verification reports client data that the operator did not decide about`() throws {
        let other = try SigningKeyPair()
        var scene = try HistoryScene()
        let app = scene.app.app, stream = StreamID.app(app)
        let lawful = try ClientRegistration(redirects: [ClientURI("https://app.example/")])
        let wider = try ClientRegistration(redirects: [ClientURI("https://evil.example/")], anyTenant: true)
        func change(_ by: Authority) -> AppClientChanged { AppClientChanged(appID: app, client: lawful, by: by) }
        try scene.history.append(scene.history.byOperator(on: stream, change), to: stream)
        try scene.history.expectLawful()

        let signed = try scene.history.byOperator(on: stream, change).by
        let unlawful: [(payload: any EventPayload, words: String)] = [
            (
                change(.operator(nil)),
                "the decision to register an app, change its secrets, resources or client data has no signature"
            ),
            (
                try scene.history.byOperator(other, on: stream, change),
                "the decision is signed with a key that is not the operator's"
            ),
            (
                AppClientChanged(appID: app, client: wider, by: signed),
                "the operator's statement is about something else"
            ),
        ]
        for (payload, words) in unlawful {
            var history = scene.history
            try history.append(payload, to: stream)
            try history.expectFinding(words)
        }
    }
}
