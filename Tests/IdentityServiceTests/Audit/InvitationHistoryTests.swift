import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Invitations in the log: who issued them, and that nobody used one after its end.
@Suite struct InvitationHistoryTests {
    private typealias Step = HistoryScene.Step
    private static let notOpen = "an invitation is used that is closed or unknown"
    private let invite: Step = { try $0.invite(by: $0.asAdmin) }
    private let use: Step = { try $0.register($0.newcomer, with: nil) }

    private func another() throws -> SignedHistory.Member {
        SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
    }

    @Test func `using an invitation in time is lawful for every issuer`() throws {
        for isByApp in [false, true] {
            var scene = try HistoryScene()
            try scene.change(TenantPolicy(registrationMode: .invited), by: scene.asFounder)
            try scene.invite(by: isByApp ? .app(scene.personnel) : scene.asAdmin)
            scene.history.time = scene.history.time.adding(.seconds(HistoryScene.invitationSeconds - 1))
            try use(&scene)
            try scene.history.expectLawful("by an app: \(isByApp)")
        }
    }

    @Test func `ending an invitation by policy is lawful once the issuer lost the role`() throws {
        var scene = try HistoryScene()
        try invite(&scene)
        try scene.dismiss(scene.admin, by: scene.asFounder)
        try scene.endInvitation()
        try scene.history.expectLawful()
        let words = "an invitation ends by policy although it is closed, or its issuer keeps the authority"
        try HistoryScene.expect(words, after: invite) { try $0.endInvitation() }
        try HistoryScene.expect(words) { try $0.endInvitation() }
    }

    @Test func `verification reports an invitation used after its end`() throws {
        try HistoryScene.expect(Self.notOpen) { scene in
            try scene.invite(by: scene.asAdmin)
            try scene.revokeInvitation(by: .app(scene.personnel))
        } _: {
            try use(&$0)
        }
        try HistoryScene.expect(Self.notOpen, after: invite) { scene in
            scene.history.time = scene.history.time.adding(.seconds(HistoryScene.invitationSeconds + 60))
            try use(&scene)
        }
        let other = try another()
        try HistoryScene.expect(Self.notOpen) { scene in
            try scene.invite(by: scene.asAdmin)
            try use(&scene)
        } _: {
            try $0.register(other, with: nil)
        }
        try HistoryScene.expect(Self.notOpen, after: invite) { scene in
            try scene.register(scene.newcomer, with: InvitationID(UUID()))
        }
    }

    @Test func `verification reports an invitation used after its issuer lost the authority`() throws {
        try HistoryScene.expect(Self.notOpen) { scene in
            try scene.invite(by: scene.asAdmin)
            try scene.dismiss(scene.admin, by: scene.asFounder)
        } _: {
            try use(&$0)
        }
        // A role that came back revives nothing.
        try HistoryScene.expect(Self.notOpen) { scene in
            try scene.invite(by: scene.asAdmin)
            try scene.dismiss(scene.admin, by: scene.asFounder)
            try scene.appoint(scene.admin, keys: [scene.admin.device], by: scene.asFounder)
        } _: {
            try use(&$0)
        }
        try HistoryScene.expect(Self.notOpen) { scene in
            try scene.invite(by: .app(scene.personnel))
            try scene.unlink(scene.personnel.app)
            try scene.link(scene.personnel.app, roles: scene.personnel.roles)
        } _: {
            try use(&$0)
        }
    }

    @Test func `verification reports a registration without the required invitation`() throws {
        let mode: Step = { try $0.change(TenantPolicy(registrationMode: .invited), by: $0.asFounder) }
        try HistoryScene.expect("an employee registered without the invitation that the policy requires", after: mode) {
            try $0.history.register($0.newcomer)
        }
        try HistoryScene.expect("an invitation is used without a registration", after: invite) { scene in
            scene.history.time = scene.history.time.adding(.seconds(1))
            try scene.history.append(
                InvitationUsed(invitationID: scene.invitation, employeeID: scene.staff.id),
                to: .invitation(scene.invitation, in: scene.history.tenant))
        }
    }

    @Test func `verification reports an unsigned decision about an invitation`() throws {
        try HistoryScene.expect("the decision to issue an invitation has no signature") { scene in
            scene.history.makeKey(of: scene.invitation.uuid)
            try scene.history.append(
                try scene.issue(.app(scene.personnel.app, secret: scene.personnel.secret, nil)),
                to: .invitation(scene.invitation, in: scene.history.tenant))
        }
        try HistoryScene.expect("the decision to revoke an invitation has no signature", after: invite) { scene in
            try scene.history.append(
                InvitationRevoked(
                    invitationID: scene.invitation, reason: .revoked, by: .employee(scene.admin.id, nil)),
                to: .invitation(scene.invitation, in: scene.history.tenant))
        }
    }

    @Test func `verification reports a statement about another invitation or a shorter time`() throws {
        let words = "the statement is about something else", hash = [UInt8](repeating: 9, count: 32)
        try HistoryScene.expect(words) { try $0.invite(by: $0.asAdmin) { $0.subject = hash } }
        try HistoryScene.expect(words) { try $0.invite(by: $0.asAdmin) { $0.seconds = 3_600 } }
        try HistoryScene.expect(words, after: invite) { scene in
            try scene.revokeInvitation(by: scene.asAdmin) { $0.invitation = UUID() }
        }
        try HistoryScene.expect(words, after: invite) { scene in
            try scene.revokeInvitation(by: scene.asAdmin) { $0.subject = hash }
        }
        try HistoryScene.expect("the statement refers to another ledger") { scene in
            try scene.invite(by: scene.asAdmin) { $0.context.ledgerRoot = hash }
        }
    }

    @Test func `verification reports an invitation issued or ended twice, or in another stream`() throws {
        try HistoryScene.expect("the statement was used before", after: invite) { scene in
            try scene.history.copy(scene.history.latest)
        }
        try HistoryScene.expect("the invitation's id is not the hash of its statement") { scene in
            try scene.invite(by: scene.asAdmin, under: InvitationID(UUID()))
        }
        try HistoryScene.expect("the decision is refused in this state (revoke an invitation): invalid") { scene in
            try scene.invite(by: scene.asAdmin)
            try use(&scene)
        } _: { scene in
            try scene.revokeInvitation(by: scene.asAdmin)
        }
        try HistoryScene.expect("the event repeats an earlier decision") { scene in
            try scene.invite(by: scene.asAdmin)
            try scene.revokeInvitation(by: scene.asAdmin)
        } _: { scene in
            try scene.revokeInvitation(by: scene.asFounder)
        }
        try HistoryScene.expect("the event is not in its subject's stream", after: invite) { scene in
            try scene.history.append(
                InvitationRevoked(invitationID: scene.invitation, reason: .issuerEnded, by: .policy),
                to: .invitation(InvitationID(UUID()), in: scene.history.tenant))
        }
    }
}
