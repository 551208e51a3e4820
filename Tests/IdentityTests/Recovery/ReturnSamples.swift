import Canonical
@testable import Identity
import Testing

extension EventSamples {
    static let comeback: ReturnID = Sample.id(130)

    /// The proof of a return, by one device key.
    static func returnProof(
        _ key: PublicKeyBytes = Sample.key(0x12), challenge: String = "tenure/v1/challenge\n{}"
    ) throws -> ReturnProof {
        ReturnProof(
            userID: user, credentialID: credential, userKey: Sample.key(0x77), key: key,
            challenge: Array(challenge.utf8),
            deviceSignature: try Sample.signature(0x44), userSignature: try Sample.signature(0x45))
    }

    static func returns() throws -> [any EventPayload] {
        let available = Sample.start.adding(.seconds(172_800))
        return [
            ReturnRequested(
                returnID: comeback, employeeID: employee, key: Sample.key(0x12), flow: flow,
                expiresAt: Sample.start.adding(.seconds(86_400))),
            ReturnOpened(
                returnID: comeback, employeeID: employee, proof: try returnProof(), availableAt: available,
                expiresAt: available.adding(.seconds(259_200))),
            ReturnOpened(
                returnID: comeback, employeeID: employee, proof: try returnProof(), availableAt: available,
                expiresAt: available.adding(.seconds(259_200)), ground: .founding),
            ReturnCompleted(returnID: comeback, employeeID: employee, proof: try returnProof()),
            ReturnCancelled(
                returnID: comeback, employeeID: employee, reason: try #require(ReasonCode("owner")),
                fingerprint: try Sample.fingerprint(0xAB),
                by: .employee(employee, try Sample.statement(by: Sample.key(0x11)))),
            ReturnCancelled(
                returnID: comeback, employeeID: employee, reason: try #require(ReasonCode("mail")), fingerprint: nil,
                by: .employee(employee, nil)),
        ]
    }
}
