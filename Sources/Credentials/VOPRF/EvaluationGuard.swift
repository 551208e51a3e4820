import Crypto

/// Refuses the evaluations on which the library's proof verification would trap.
///
/// The library serializes t2 = s·G + c·B and t3 = d·(s·C + c·D), and traps when either is the point at infinity: for
/// c = s = 0, and for any proof made for the purpose by somebody who knows the key (s = −c·k) or who chose D as a
/// known multiple x of C (s = −c·x). Both are a remote crash of the client by a hostile service. So c and s must be
/// scalars in 1 ..< n, and neither pair of points may have the same x coordinate, which is so exactly when they are
/// equal or opposite. An honest proof is refused with a probability of about 2^-382.
enum EvaluationGuard {
    static func accepts(_ evaluation: [UInt8], blinded element: [UInt8], publicKey: OPRFPublicKey) -> Bool {
        guard evaluation.count == OPRFKey.evaluationByteCount, P384Point.isCompressed(Array(evaluation[..<49])),
            let challenge = try? P384.KeyAgreement.PrivateKey(rawRepresentation: Array(evaluation[49..<97])),
            let response = try? P384.KeyAgreement.PrivateKey(rawRepresentation: Array(evaluation[97...])),
            let evaluated = try? P384.KeyAgreement.PublicKey(compressedRepresentation: Array(evaluation[..<49])),
            let blinded = try? P384.KeyAgreement.PublicKey(compressedRepresentation: element),
            let key = try? P384.KeyAgreement.PublicKey(compressedRepresentation: publicKey.bytes),
            let keyTimesChallenge = multiply(key, by: challenge),
            let blindedTimesResponse = multiply(blinded, by: response),
            let evaluatedTimesChallenge = multiply(evaluated, by: challenge)
        else { return false }
        let generatorTimesResponse = Array(response.publicKey.rawRepresentation.prefix(48))
        return generatorTimesResponse != keyTimesChallenge && blindedTimesResponse != evaluatedTimesChallenge
    }

    /// The x coordinate of scalar · point, 48 bytes: what an ECDH key agreement computes.
    private static func multiply(
        _ point: P384.KeyAgreement.PublicKey, by scalar: P384.KeyAgreement.PrivateKey
    ) -> [UInt8]? {
        (try? scalar.sharedSecretFromKeyAgreement(with: point))?.withUnsafeBytes { Array($0) }
    }
}
