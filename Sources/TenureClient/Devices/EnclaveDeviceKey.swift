#if canImport(Security)
public import Credentials
import Crypto
public import Foundation

/// A device key in the Secure Enclave. It signs there, and its private half cannot be read.
public struct EnclaveDeviceKey: DeviceKey {
    /// The public key.
    public let publicKey: EmployeePublicKey
    private let dataRepresentation: Data

    /// Restores a key.
    ///
    /// - Parameter data: The representation that the enclave returned when it created the key. Only the same enclave
    ///   can use it.
    /// - Throws: An error of CryptoKit if the enclave cannot use the data.
    public init(dataRepresentation data: Data) throws {
        let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data)
        publicKey = try EmployeePublicKey(bytes: Array(key.publicKey.x963Representation))
        dataRepresentation = data
    }

    /// Signs the challenge of a flow.
    ///
    /// - Throws: An error of CryptoKit if the enclave does not sign.
    public func signature(over challenge: Challenge) async throws -> Signature { try await sign(challenge.bytes) }

    /// Signs a new record of credentials.
    ///
    /// - Throws: An error of CryptoKit if the enclave does not sign.
    public func signature(over credentials: NewCredentials) async throws -> Signature {
        try await sign(credentials.deviceMessage)
    }

    /// Signs a statement, which the caller has compared with the requested decision.
    ///
    /// - Throws: An error of CryptoKit if the enclave does not sign.
    public func signature(over statement: some Statement) async throws -> Signature { try await sign(statement.bytes) }

    /// Signs on a separate thread: the enclave takes milliseconds, too long for a thread of the cooperative pool.
    private func sign(_ bytes: [UInt8]) async throws -> Signature {
        let data = dataRepresentation
        let raw = try await BlockingWork.run {
            let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data)
            return Array(try key.signature(for: Data(bytes)).rawRepresentation)
        }
        return try Signature(raw: raw)
    }
}
#endif
