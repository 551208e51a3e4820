import Canonical
import Credentials
import Foundation
import Testing

@testable import IdentityService

struct FlowStateTests {
    @Test(arguments: [true, false]) func `a flow's row says what was put into it`(isComplete: Bool) throws {
        var state = sample
        if isComplete {
            state.isHidden = true
            state.decoyKeys = [1, 2, 3]
            state.standIn = StandIn(employeeId: UUID(), userId: UUID(), credentialId: UUID())
            state.recovery = PendingRecovery(
                opened: [UInt8](repeating: 8, count: 32), confirmed: [UInt8](repeating: 9, count: 32))
            #expect(state.finished.recovery == nil)
        } else {
            state.email = nil
            state.proved = nil
            state.charges = []
            state.seed = nil
            state.setUpEvaluations = 0
            state.attempt = nil
        }
        let bytes = state.json.canonicalBytes()
        #expect(try FlowState(json: CanonicalJSON.parse(bytes)) == state)
    }

    @Test func `a finished flow holds nothing of the person`() throws {
        let text = String(decoding: sample.finished.json.canonicalBytes(), as: UTF8.self)
        #expect(sample.finished.seed == nil && sample.finished.attempt == nil)
        let seed = Base64URL.encode([UInt8](repeating: 11, count: 32))
        for secret in ["bayunsystems", "emp-1", "jane@", Base64URL.encode(sample.subjectSalt), seed] {
            #expect(!text.contains(secret))
        }
        #expect(sample.finished.step == .done)
    }

    private let sample = FlowState(
        id: UUID(), purpose: .registration, step: .credentials, appId: UUID(), tenantId: UUID(),
        companyName: "bayunsystems.com", companyEmployeeId: "emp-1", email: "jane@bayunsystems.com",
        isCompanyOwnedEmail: true, employeePublicKey: [4] + [UInt8](repeating: 7, count: 64), employeeId: UUID(),
        userId: UUID(), credentialId: UUID(), namedCredentialId: UUID(), isDecoy: false, userExists: false,
        questionsAllowed: true, challenge: [1, 2, 3], subjectSalt: [UInt8](repeating: 9, count: 32),
        proved: FlowState.ProvedKey(challenge: [1], signature: [UInt8](repeating: 5, count: 64)),
        charges: [FlowState.Charge(id: UUID(), version: 2, wasKnownDevice: true)],
        expiresAt: Timestamp(microseconds: 1_795_000_000_123_456), seed: [UInt8](repeating: 11, count: 32),
        setUpEvaluations: 2, attempt: BlindAttempt(first: .answers(AnswerSubset.all[7])))
}
