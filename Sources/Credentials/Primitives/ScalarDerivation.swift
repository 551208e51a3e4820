import Crypto

/// Derives a private scalar from secret material: HKDF output is offered to the curve until the curve accepts it.
///
/// The output for counter 0, 1, … 255 is HKDF(ikm, salt, info ‖ counter), the counter being one byte. The library
/// refuses zero and what is not below the group's order: about one output in 2^190 for P-384 and one in 2^32 for
/// P-256. An output is never reduced, so every scalar is equally likely and needs no explanation to be repeated by
/// another implementation.
enum ScalarDerivation {
    static func derive<H: HashFunction, Key>(
        _ hash: H.Type, from material: SecretBytes, salt: [UInt8], info: [UInt8], byteCount: Int,
        accepting: (SecretBytes) -> Key?
    ) throws(CredentialsError) -> Key {
        try firstAccepted(
            { counter in
                SecretBytes(
                    HKDF<H>.deriveKey(
                        inputKeyMaterial: material.key, salt: salt, info: info + [counter], outputByteCount: byteCount))
            }, accepting: accepting)
    }

    /// Offers candidate 0, 1, … 255 and returns the first key that is made of one.
    static func firstAccepted<Key>(
        _ candidate: (UInt8) -> SecretBytes, accepting: (SecretBytes) -> Key?
    ) throws(CredentialsError) -> Key {
        for counter in UInt8.min ... .max {
            if let key = accepting(candidate(counter)) { return key }
        }
        throw CredentialsError(.secretInvalid)
    }
}
