import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The client's half of one evaluation: an input, its blind, and the element that goes to the service.
///
/// Sendable although the library's value does not say so: it is a struct of an immutable input, scalar and point that is
/// stored once and only read afterwards, so that no two threads ever change anything of it.
struct BlindedInput: @unchecked Sendable, Redacted {
    let slot: CopySlot
    /// The compressed point for the service, 49 bytes; it says nothing about the input.
    let element: [UInt8]
    private let input: P384._VOPRF.BlindedInput
    private let publicKey: OPRFPublicKey

    init(_ input: VOPRFInput, for publicKey: OPRFPublicKey) throws(CredentialsError) {
        guard input.bytes.count <= 65_535 else { throw CredentialsError(.tooLong) }
        do {
            self.input = try publicKey.libraryKey().blind(Data(input.bytes))
        } catch {
            throw CredentialsError(.keyInvalid)
        }
        slot = input.slot
        element = Array(self.input.blindedElement.oprfRepresentation)
        self.publicKey = publicKey
    }

    /// Verifies the proof and unblinds.
    ///
    /// - Parameter evaluation: 145 bytes from the service.
    /// - Returns: The output, 48 bytes.
    /// - Throws: `evaluationInvalid`.
    func finalize(_ evaluation: [UInt8]) throws(CredentialsError) -> SecretBytes {
        guard EvaluationGuard.accepts(evaluation, blinded: element, publicKey: publicKey) else {
            throw CredentialsError(.evaluationInvalid)
        }
        do {
            let parsed = try P384._VOPRF.BlindEvaluation(rawRepresentation: Data(evaluation))
            return SecretBytes(try publicKey.libraryKey().finalize(input, using: parsed))
        } catch {
            throw CredentialsError(.evaluationInvalid)
        }
    }
}
