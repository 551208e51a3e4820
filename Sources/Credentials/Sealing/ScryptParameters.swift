import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cost of one guess: scrypt (RFC 7914) with N = 2^log2N, block size 8 and one to three lanes.
///
/// Memory is 128 · N · r bytes, 32 MiB by default and 128 MiB at most. Only these ranges are ever passed to the
/// library, whatever a record says: log2N 14…17, r 8, p 1…3. The library derives its memory limit from the parameters
/// (128 · N · r · p and a page), which is enough for each of them.
public struct ScryptParameters: Sendable, Hashable {
    /// The logarithm of the cost parameter, 14 to 17.
    public let log2N: UInt8
    /// The block size, always 8.
    public let r: UInt8
    /// The number of lanes, 1 to 3.
    public let p: UInt8

    /// The identifier of scrypt in a record.
    public static let identifier: UInt8 = 1
    /// log2N 15, r 8, p 1: about 58 ms.
    public static let standard = ScryptParameters(validLog2N: 15, p: 1)

    private init(validLog2N: UInt8, p: UInt8) {
        log2N = validLog2N
        r = 8
        self.p = p
    }

    /// Accepts log2N 14…17, r 8, p 1…3.
    ///
    /// - Throws: ``CredentialsError/Code/parametersRefused``.
    public init(log2N: UInt8, r: UInt8 = 8, p: UInt8 = 1) throws(CredentialsError) {
        guard (14...17).contains(log2N), r == 8, (1...3).contains(p) else {
            throw CredentialsError(.parametersRefused)
        }
        self.init(validLog2N: log2N, p: p)
    }

    /// The four bytes in records and contexts: identifier, log2N, r, p.
    var bytes: [UInt8] { [Self.identifier, log2N, r, p] }

    /// Stretches one VOPRF output to 32 bytes.
    func stretch(_ output: SecretBytes, salt: [UInt8]) throws(CredentialsError) -> SecretBytes {
        do {
            return SecretBytes(
                try KDF.Scrypt.deriveKey(
                    from: output.bytes, salt: salt, outputByteCount: 32, rounds: 1 << Int(log2N), blockSize: Int(r),
                    parallelism: Int(p)))
        } catch {
            // Only memory can be missing here; the caller sees the same refusal as for a wrong secret.
            throw CredentialsError(.cannotOpen)
        }
    }
}
