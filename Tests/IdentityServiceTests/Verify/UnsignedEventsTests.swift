import Canonical
import Foundation
import Identity
import Testing

@testable import IdentityService

/// Verification does not read events in full that nobody signs; so none of them may carry anything to verify.
@Suite struct UnsignedEventsTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "IdentityTests/Fixtures/events")

    @Test func `an event that is not read in full has no signature and decides about no key`() throws {
        for type in EventSignatures.unsigned {
            let bytes = try Data(contentsOf: Self.fixtures.appending(path: "\(type).v1.json"))
            let text = String(decoding: bytes, as: UTF8.self)
            for member in ["by", "signature", "deviceSignature", "userSignature", "statement", "challenge", "key"] {
                #expect(!text.contains("\"\(member)\":"), "\(type) has the member \(member)")
            }
        }
    }

    @Test func `with signatures every other type is read`() {
        let inspector = LogInspector(checksSignatures: true)
        for type in [AnswersValidated.type, EmployeeKeyAuthorized.type, EmployeeRegistered.type, "NobodyKnowsThis"] {
            #expect(inspector.concerns(type), "\(type)")
        }
        #expect(!inspector.concerns(SessionOpened.type))
        let quick = LogInspector(checksSignatures: false)
        #expect(quick.concerns(CheckpointSealed.type) && quick.concerns(AppSecretIssued.type))
        #expect(!quick.concerns(AnswersValidated.type))
    }
}
