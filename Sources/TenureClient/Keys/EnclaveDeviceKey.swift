#if canImport(Security)
public import Credentials
import Crypto
public import Foundation

/// A key that lives in the Secure Enclave: it signs there and cannot be read.
public struct EnclaveDeviceKey: DeviceKey {
    /// The public half.
    public let publicKey: EmployeePublicKey
    private let dataRepresentation: Data

    /// Finds the key again.
    ///
    /// - Parameter data: What the enclave gave out when the key was made; only the same enclave can use it.
    public init(dataRepresentation data: Data) throws {
        let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data)
        publicKey = try EmployeePublicKey(bytes: Array(key.publicKey.x963Representation))
        dataRepresentation = data
    }

    /// Signs a challenge.
    public func signature(over challenge: Challenge) async throws -> Signature { try await sign(challenge.bytes) }

    /// Signs a new record of credentials.
    public func signature(over credentials: NewCredentials) async throws -> Signature {
        try await sign(credentials.deviceMessage)
    }

    /// Signs a statement about an employee key.
    public func signature(over statement: KeyStatement) async throws -> Signature { try await sign(statement.bytes) }

    /// Signs a statement about the policy.
    public func signature(over statement: PolicyStatement) async throws -> Signature { try await sign(statement.bytes) }

    /// Signs a statement about an app's link.
    public func signature(over statement: AppLinkStatement) async throws -> Signature {
        try await sign(statement.bytes)
    }

    /// Signs a statement about somebody's recovery.
    public func signature(over statement: RecoveryStatement) async throws -> Signature {
        try await sign(statement.bytes)
    }

    /// Signs a statement about an admin.
    public func signature(over statement: RoleStatement) async throws -> Signature { try await sign(statement.bytes) }

    /// Signs a statement about the next security admin.
    public func signature(over statement: SuccessionStatement) async throws -> Signature {
        try await sign(statement.bytes)
    }

    /// The enclave takes milliseconds, which is too long for a thread of the cooperative pool.
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
