import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Returns of the security admin, as the service appends them or as a compromised one would.
@Suite struct ReturnHistoryTests {
    private func expect(
        _ words: String, after arrange: HistoryScene.Step, _ violate: HistoryScene.Step,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try HistoryScene.expect(words, after: arrange, violate, sourceLocation: sourceLocation)
    }

    private func open(_ scene: inout HistoryScene) throws {
        try scene.leaveAlone()
        try scene.openReturn()
    }

    private func complete(_ scene: inout HistoryScene) throws {
        try open(&scene)
        scene.wait(hours: 48)
        try scene.completeReturn()
    }

    @Test func `a return after its wait is lawful, and so is what the new key decides`() throws {
        var scene = try HistoryScene()
        try complete(&scene)
        let back = SignedHistory.Decider.member(scene.founder, scene.waiting)
        try scene.change(TenantPolicy(approval: .admin), by: back)
        try scene.end(.revoke, scene.founder.device, of: scene.founder, by: back)
        try scene.history.expectLawful()
    }

    @Test func `the old keys decide nothing as admin after a return`() throws {
        try expect(
            "the caller may not change the policy or the registration mode; the decision is about the tenant",
            after: complete
        ) { scene in try scene.change(TenantPolicy(approval: .admin), by: scene.asFounder) }
    }

    @Test func `an undone return is lawful, and gives the role back`() throws {
        var scene = try HistoryScene()
        try complete(&scene)
        let back = SignedHistory.Decider.member(scene.founder, scene.waiting)
        try scene.end(.revoke, scene.founder.device, of: scene.founder, by: back)
        try scene.cancelReturn(by: scene.asFounder)
        let by = try #require(scene.history.state.employees[scene.founder.id]?.keys[scene.waiting.key]?.endedBy)
        try scene.history.append(
            EmployeeKeyRevoked(
                employeeID: scene.founder.id, key: scene.waiting.key, reason: try #require(ReasonCode("owner")),
                by: by),
            about: scene.founder)
        try scene.history.expectLawful()
        #expect(scene.history.state.employees[scene.founder.id]?.completedReturns.isEmpty == true)
    }

    @Test func `a cancelled return, by a statement, a log-in or a mail, is lawful`() throws {
        for way in 0..<3 {
            var scene = try HistoryScene()
            try open(&scene)
            switch way {
            case 0: try scene.cancelReturn(by: scene.asFounder)
            default:
                try scene.history.append(
                    ReturnCancelled(
                        returnID: scene.comeback, employeeID: scene.founder.id,
                        reason: try #require(ReasonCode(way == 1 ? "login" : "mail")),
                        fingerprint: way == 1 ? KeyFingerprint(of: scene.founder.device.key) : nil,
                        by: .employee(scene.founder.id, nil)), about: scene.founder)
            }
            try scene.history.expectLawful()
        }
    }

    @Test func `verification reports a return while another admin has a key`() throws {
        let words = "a return goes on although another admin has a device key in force"
        try expect(words, after: { try $0.requestReturn() }) { try $0.openReturn() }
        try expect(
            words,
            after: { scene in
                try open(&scene)
                try scene.appoint(scene.admin, keys: [scene.admin.device], by: scene.asFounder)
                scene.wait(hours: 48)
            }
        ) { try $0.completeReturn() }
    }

    @Test func `verification reports a return of somebody else`() throws {
        try expect("a return is asked for by somebody who is not the security admin", after: { try $0.leaveAlone() }) {
            scene in
            try scene.history.present(scene.waiting, of: scene.staff)
            try scene.history.append(
                ReturnRequested(
                    returnID: scene.comeback, employeeID: scene.staff.id, key: scene.waiting.key,
                    flow: scene.returnFlow, expiresAt: scene.history.time.adding(.seconds(86_400))),
                about: scene.staff)
        }
    }

    @Test func `verification reports a wait that is too short, or not kept`() throws {
        let requested: HistoryScene.Step = { scene in
            try scene.leaveAlone()
            try scene.requestReturn()
        }
        try expect("a return is available before the waiting time is over", after: requested) { scene in
            try scene.openReturn { $0.availableAt = $0.availableAt.adding(.seconds(-3_600)) }
        }
        // Others had been appointed.
        try expect("a return is opened as a lone founder's, and is none", after: requested) { scene in
            try scene.openReturn { $0.ground = .founding }
        }
        try expect("a return does not end 72 hours after it becomes available", after: requested) { scene in
            try scene.openReturn { $0.expiresAt = $0.expiresAt.adding(.seconds(3_600)) }
        }
        try expect(
            "a return is completed before the waiting time is over",
            after: { scene in
                try open(&scene)
                scene.wait(hours: 47)
            }
        ) { try $0.completeReturn() }
        try expect(
            "the return had expired",
            after: { scene in
                try open(&scene)
                scene.wait(hours: 121)
            }
        ) { try $0.completeReturn() }
    }

    @Test func `verification reports a return that nobody asked for, or that was cancelled`() throws {
        try expect(
            "a return is opened without a request",
            after: { scene in
                try scene.leaveAlone()
                try scene.requestReturn()
                scene.wait(hours: 25)
            }
        ) { try $0.openReturn() }
        try expect(
            "a return is completed that is not open",
            after: { scene in
                try open(&scene)
                try scene.cancelReturn(by: scene.asFounder)
                scene.wait(hours: 48)
            }
        ) { try $0.completeReturn() }
    }

    @Test func `verification reports another device key`() throws {
        try expect(
            "a return is completed with another device key than it was opened for",
            after: { scene in
                try open(&scene)
                try scene.history.present(scene.founder.vouched, of: scene.founder)
                scene.wait(hours: 48)
            }
        ) { scene in
            try scene.completeReturn(proof: try scene.returnProof(scene.founder.vouched, nonce: 2))
        }
    }

    @Test func `verification reports a wrong signature or challenge`() throws {
        let requested: HistoryScene.Step = { scene in
            try scene.leaveAlone()
            try scene.requestReturn()
        }
        // Signed by somebody else than the user key or the device key that is named.
        for isUser in [true, false] {
            try expect("a signature or its signed bytes are not valid", after: requested) { scene in
                var proof = try scene.returnProof()
                if isUser {
                    proof.userKey = scene.staff.device.key
                } else {
                    proof.deviceSignature = proof.userSignature
                }
                try scene.openReturn(proof: proof)
            }
        }
        try expect("the challenge is for another purpose", after: requested) { scene in
            try scene.openReturn(proof: try scene.returnProof { $0.purpose = .login })
        }
        try expect("the challenge is of another tenant", after: requested) { scene in
            try scene.openReturn(proof: try scene.returnProof { $0.tenant = UUID() })
        }
        try expect("the challenge is of another credential", after: requested) { scene in
            try scene.openReturn(proof: try scene.returnProof { $0.credential = UUID() })
        }
        try expect("the challenge of the return is of another request", after: requested) { scene in
            try scene.openReturn(proof: try scene.returnProof(flow: FlowID(UUID())))
        }
        // What was signed at the opening does not complete.
        try expect(
            "the challenge of the return was not signed at its completion",
            after: { scene in
                try open(&scene)
                scene.wait(hours: 48)
            }
        ) { scene in
            let opened = try #require(scene.history.state.employees[scene.founder.id]?.openedReturn)
            let proof = try scene.returnProof(nonce: 2) { $0.expires = opened.openedAt.adding(.seconds(120)) }
            try scene.completeReturn(proof: proof)
        }
    }

    @Test func `verification reports an undone return without a signature, or by a key that may not`() throws {
        try expect("the decision to cancel or undo a return has no signature", after: complete) { scene in
            try scene.history.append(
                ReturnCancelled(
                    returnID: scene.comeback, employeeID: scene.founder.id, reason: try #require(ReasonCode("login")),
                    fingerprint: KeyFingerprint(of: scene.founder.device.key), by: .employee(scene.founder.id, nil)),
                about: scene.founder)
        }
        let words = "the caller may not cancel or undo a return; the decision is about the security admin"
        try expect(words, after: complete) { scene in
            try scene.cancelReturn(by: .member(scene.founder, scene.waiting))
        }
        try expect(
            "a return is cancelled that has ended or was never opened",
            after: { scene in
                try complete(&scene)
                scene.wait(hours: 24 * 30 + 1)
            }
        ) { try $0.cancelReturn(by: $0.asFounder) }
        // A statement about the opening undoes nothing.
        try expect("the statement is about another return", after: complete) { scene in
            let back = try #require(scene.history.state.employees[scene.founder.id]?.completedReturns.last)
            let opened = try #require(scene.history.state.leaf(back.opened))
            try scene.cancelReturn(by: scene.asFounder) { $0.followsHash = opened }
        }
    }

    @Test func `verification reports that a key which can still be undone names a successor`() throws {
        try expect(
            "the decision is refused in this state (name the next security admin): returnUndoable",
            after: { scene in
                try complete(&scene)
                try scene.logIn(scene.founder, on: scene.waiting)
            }
        ) { try $0.succeed($0.peer, by: .member($0.founder, $0.waiting)) }
    }

    @Test func `the operator brings the security admin back with one statement, which authorizes no other key`() throws
    {
        var scene = try HistoryScene()
        try scene.history.present(scene.waiting, of: scene.founder)
        try scene.bringBack(by: .operator(scene.history.operatorPair))
        try scene.change(TenantPolicy(approval: .admin), by: .member(scene.founder, scene.waiting))
        try scene.history.expectLawful()

        try expect(
            "the operator's statement is about something else",
            after: { scene in
                try scene.history.present(scene.waiting, of: scene.founder)
                try scene.history.present(scene.founder.vouched, of: scene.founder)
                try scene.bringBack(by: .operator(scene.history.operatorPair))
            }
        ) { scene in
            let by = try #require(
                scene.history.state.employees[scene.founder.id]?.keys[scene.waiting.key]?.authorizedBy)
            try scene.history.append(
                EmployeeKeyAuthorized(employeeID: scene.founder.id, key: scene.founder.vouched.key, by: by),
                about: scene.founder)
        }
    }

    @Test func `verification reports a succession that changes nothing`() throws {
        try expect("the event repeats an earlier decision", after: { _ in }) { scene in
            let fingerprints = HistoryScene.fingerprints([scene.founder.device]), id = scene.founder.id
            try scene.history.append(
                scene.history.byOperator(on: .tenant(scene.history.tenant)) {
                    SecurityAdminSucceeded(employeeID: id, fingerprints: fingerprints, by: $0)
                }, to: .tenant(scene.history.tenant))
        }
    }
}
