import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// What verification finds about M-Pin beside the cells of the table.
@Suite struct MPinHistoryTests {
    @Test func `a registration by mail with wrong proofs is lawful`() throws {
        var scene = try HistoryScene()
        try scene.changeMPin(MPinPolicy(maximumFailures: 2), by: scene.asFounder)
        try scene.registerMPin()
        try scene.failMPin(1, of: 2)
        try scene.appendMPin(MPinFailuresCleared())
        try scene.proveMPin()
        try scene.failMPin(1, of: 2, lifetime: 2)
        try scene.failMPin(2, of: 2, lifetime: 3)
        try scene.appendMPin(MPinBlocked(reason: .failures))
        try scene.history.expectLawful()
    }

    @Test func `a first right proof after wrong ones clears them and is lawful`() throws {
        var scene = try HistoryScene()
        try scene.startMPin()
        try scene.verifyMPin(.email)
        try scene.issueMPin()
        try scene.failMPin(1, of: 3)
        try scene.appendMPin(MPinRegistered())
        try scene.appendMPin(MPinFailuresCleared())
        try scene.proveMPin()
        try scene.history.expectLawful()
    }

    @Test func `a link by the device of the account is lawful, and verifies`() throws {
        var scene = try HistoryScene()
        let staff = scene.staff
        try scene.startMPin()
        try scene.linkMPin(to: staff, by: .member(staff, staff.device))
        try scene.history.expectLawful()
    }

    @Test func `a linked identity gives way lawfully once its device key has ended`() throws {
        var scene = try HistoryScene()
        try scene.linkMPinOfStaff()
        try scene.end(.revoke, scene.staff.device, of: scene.staff, by: scene.asFounder)
        try scene.appendMPin(MPinRevoked(reason: .superseded, by: .policy))
        try scene.history.expectLawful()
    }

    @Test func `a linked identity that gives way while its device key is in force is found`() throws {
        try HistoryScene.expect(
            "an M-Pin identity ends by policy although it is verified or not expired",
            after: {
                try $0.linkMPinOfStaff()
                try $0.end(.revoke, $0.staff.vouched, of: $0.staff, by: $0.asFounder)
            }
        ) {
            try $0.appendMPin(MPinRevoked(reason: .superseded, by: .policy))
        }
    }

    @Test func `an erasure by the operator is lawful, of a live and of an ended identity`() throws {
        for isEnded in [false, true] {
            var scene = try HistoryScene()
            try scene.startMPin()
            if isEnded { try scene.revokeMPin(by: scene.asAdmin) }
            try scene.history.append(
                scene.history.byOperator(on: scene.mpinStream) { MPinErased(by: $0) }, to: scene.mpinStream)
            try scene.history.expectLawful()
        }
    }

    @Test func `an erasure without the operator's signature, with another's, or repeated, is found`() throws {
        try HistoryScene.expect(
            "the decision to erase personal data has no signature", after: { try $0.startMPin() }
        ) {
            try $0.history.append(MPinErased(by: .operator(nil)), to: $0.mpinStream)
        }
        try HistoryScene.expect(
            "the decision is signed with a key that is not the operator's", after: { try $0.startMPin() }
        ) {
            let forger = try SigningKeyPair()
            try $0.history.append(
                $0.history.byOperator(forger, on: $0.mpinStream) { MPinErased(by: $0) }, to: $0.mpinStream)
        }
        try HistoryScene.expect(
            "the operator's statement is about something else", after: { try $0.startMPin() }
        ) {
            let other = StreamID.mpin(MPinIdentityID(UUID()), in: $0.history.tenant)
            try $0.history.append($0.history.byOperator(on: other) { MPinErased(by: $0) }, to: $0.mpinStream)
        }
    }

    @Test func `a policy whose statement says something else is found`() throws {
        try HistoryScene.expect("the statement is about something else") { scene in
            let decider = scene.asFounder
            let statement = PolicyStatement(
                context: try scene.history.context(decider), settings: MPinPolicy.initial.settings, policyHash: nil)
            try scene.history.append(
                { MPinPolicyChanged(policy: MPinPolicy(opensSessions: true), by: $0) }, by: decider,
                to: .tenant(scene.history.tenant), statement)
        }
    }

    @Test func `a statement about another identity or account is found`() throws {
        try HistoryScene.expect("the statement is about something else", after: { try $0.startMPin() }) {
            try $0.verifyMPin(by: $0.asAdmin) { $0.identity = UUID() }
        }
        try HistoryScene.expect("the statement is about something else", after: { try $0.startMPin() }) { scene in
            let staff = scene.staff, other = scene.peer.id.uuid
            try scene.linkMPin(to: staff, by: .member(staff, staff.device)) { $0.employee = other }
        }
        try HistoryScene.expect("the statement is about something else", after: { try $0.startMPin() }) {
            try $0.revokeMPin(by: $0.asAdmin) { $0.subject = [UInt8](repeating: 1, count: 32) }
        }
    }

    @Test func `an unsigned decision is found`() throws {
        try HistoryScene.expect(
            "the decision to revoke an M-Pin identity has no signature", after: { try $0.startMPin() }
        ) {
            try $0.history.append(
                MPinRevoked(reason: .revoked, by: .employee($0.admin.id, nil)), to: $0.mpinStream)
        }
    }

    @Test func `a code that was not used, and a second verification, are found`() throws {
        try HistoryScene.expect(
            "an M-Pin identity is verified by a code that was not used", after: { try $0.startMPin() }
        ) {
            try $0.verifyMPin(.code)
        }
        try HistoryScene.expect(
            "an M-Pin identity is verified that needs no verification, or another one",
            after: {
                try $0.startMPin()
                try $0.verifyMPin(.email)
            }
        ) {
            try $0.verifyMPin(.email)
        }
    }

    @Test func `a linked identity that a mail verifies is found`() throws {
        try HistoryScene.expect(
            "an M-Pin identity is verified that needs no verification, or another one",
            after: {
                let staff = $0.staff
                try $0.startMPin()
                try $0.linkMPin(to: staff, by: .member(staff, staff.device))
            }
        ) {
            try $0.verifyMPin(.email)
        }
    }

    @Test func `wrong counts, and events after the end, are found`() throws {
        try HistoryScene.expect(
            "the wrong proofs of an M-Pin identity are not counted as they happened", after: { try $0.startMPin() }
        ) {
            try $0.history.append(
                MPinAuthenticationFailed(failures: 2, limit: 3, lifetime: 2), to: $0.mpinStream)
        }
        try HistoryScene.expect(
            "the wrong proofs of an M-Pin identity are not counted as they happened", after: { try $0.startMPin() }
        ) {
            try $0.history.append(
                MPinAuthenticationFailed(failures: 1, limit: 6, lifetime: 1), to: $0.mpinStream)
        }
        try HistoryScene.expect(
            "an M-Pin identity has an event after its end",
            after: {
                try $0.startMPin()
                try $0.revokeMPin(by: $0.asAdmin)
            }
        ) {
            try $0.history.append(MPinRegistered(), to: $0.mpinStream)
        }
    }

    @Test func `a block too late or too early is found`() throws {
        let words = "an M-Pin identity is not blocked exactly at its limit"
        func arrange(_ scene: inout HistoryScene) throws {
            try scene.changeMPin(MPinPolicy(maximumFailures: 2), by: scene.asFounder)
            try scene.registerMPin()
            try scene.failMPin(1, of: 2)
        }
        try HistoryScene.expect(words, after: arrange) {
            try $0.failMPin(2, of: 2)
            try $0.appendMPin(MPinFailuresCleared())
            try $0.proveMPin()
        } at: {
            $0 - 1
        }
        try HistoryScene.expect(words, after: arrange) { try $0.appendMPin(MPinBlocked(reason: .failures)) }
        try HistoryScene.expect(words, after: { try $0.startMPin() }) {
            try $0.appendMPin(MPinBlocked(reason: .failures))
        }
        // Another reason than the limit that was reached.
        try HistoryScene.expect(words, after: arrange) {
            try $0.failMPin(2, of: 2)
            try $0.appendMPin(MPinBlocked(reason: .lifetime))
        }
        // The last event of the ledger has to be the block.
        try HistoryScene.expect(words, after: arrange) { try $0.failMPin(2, of: 2) }
        // An erasure does not make up for the block.
        try HistoryScene.expect(words, after: arrange) {
            try $0.failMPin(2, of: 2)
            try $0.history.append($0.history.byOperator(on: $0.mpinStream) { MPinErased(by: $0) }, to: $0.mpinStream)
        } at: {
            $0 - 1
        }
    }

    @Test func `a limit that is not the policy's is found`() throws {
        let words = "the wrong proofs of an M-Pin identity are not counted as they happened"
        for limit in [2, 4] {
            try HistoryScene.expect(words, after: { try $0.registerMPin() }) { try $0.failMPin(1, of: limit) }
        }
    }

    @Test func `a registration or a cleared count without a right proof is found`() throws {
        let words = "an M-Pin identity was registered, or its count cleared, without a right proof"
        func issue(_ scene: inout HistoryScene) throws {
            try scene.startMPin()
            try scene.verifyMPin(.email)
            try scene.issueMPin()
        }
        func fail(_ scene: inout HistoryScene) throws {
            try scene.registerMPin()
            try scene.failMPin(1, of: 3)
        }
        // At the end of the ledger.
        try HistoryScene.expect(words, after: issue) { try $0.appendMPin(MPinRegistered()) }
        try HistoryScene.expect(words, after: fail) { try $0.appendMPin(MPinFailuresCleared()) }
        // At the identity's next event, once.
        try HistoryScene.expect(words, after: issue) {
            try $0.appendMPin(MPinRegistered())
            try $0.failMPin(1, of: 3)
        }
        try HistoryScene.expect(words, after: fail) {
            try $0.appendMPin(MPinFailuresCleared())
            try $0.failMPin(1, of: 3, lifetime: 2)
        }
        // The proof of another identity is none of this one.
        try HistoryScene.expect("an M-Pin identity takes a step that its state does not permit", after: fail) {
            try $0.history.append(
                MPinAuthenticated(identityID: MPinIdentityID(UUID())), to: .flow(UUID(), in: $0.history.tenant))
        }
    }

    @Test func `a step that the state does not permit is found`() throws {
        let words = "an M-Pin identity takes a step that its state does not permit"
        try HistoryScene.expect(words, after: { try $0.startMPin() }) { try $0.issueMPin() }
        try HistoryScene.expect(words, after: { try $0.startMPin() }) { try $0.appendMPin(MPinRegistered()) }
        try HistoryScene.expect(words, after: { try $0.startMPin() }) { try $0.proveMPin() }
        try HistoryScene.expect(words, after: { try $0.registerMPin() }) { try $0.appendMPin(MPinFailuresCleared()) }
        try HistoryScene.expect(words, after: { try $0.registerMPin() }) {
            let until = $0.history.time.adding(HistoryScene.mpinWindow)
            try $0.appendMPin(MPinRegistrationRestarted(expiresAt: until))
        }
        try HistoryScene.expect(
            words,
            after: {
                try $0.registerMPin()
                try $0.revokeMPin(by: $0.asAdmin)
            }
        ) {
            try $0.proveMPin()
        }
    }

    @Test func `every type that the trail judges is read in full`() {
        #expect(EventSignatures.unsigned.isDisjoint(with: AuthorityTrail.types))
    }

    @Test func `an end by policy of a verified identity is found`() throws {
        for reason in [MPinRevocationReason.superseded, .expired] {
            try HistoryScene.expect(
                "an M-Pin identity ends by policy although it is verified or not expired",
                after: {
                    try $0.startMPin()
                    try $0.verifyMPin(.email)
                }
            ) {
                try $0.history.append(MPinRevoked(reason: reason, by: .policy), to: $0.mpinStream)
            }
        }
    }
}
