#if canImport(Security)
import Credentials
import Crypto
import Foundation
import Security

/// A key store in the Secure Enclave if there is one, and in the key chain otherwise (simulators, old hardware).
///
/// For a key in the enclave, the key chain holds a representation that only this enclave can use. The private half
/// never leaves the enclave.
public struct KeychainDeviceKeyStore: DeviceKeyStore {
    private static let enclaveMark: UInt8 = 1
    private static let softwareMark: UInt8 = 2
    private let keychain: Keychain

    /// Creates a store whose items have this `kSecAttrService`.
    public init(service: String = "tenure.device-keys") { keychain = Keychain(service: service) }

    /// Returns the key of an account, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func key(of account: AccountName) async throws -> (any DeviceKey)? {
        let (keychain, name) = (keychain, account.identifier)
        return try await Self.guarded { try keychain.read(name).map(Self.key(stored:)) }
    }

    /// Creates a key, or returns the one that a concurrent call has created.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func makeKey(of account: AccountName) async throws -> any DeviceKey {
        let (keychain, name) = (keychain, account.identifier)
        return try await Self.guarded {
            let stored = try Self.newKey()
            if try keychain.create(name, stored) { return try Self.key(stored: stored) }
            guard let other = try keychain.read(name) else { throw StorageFailure() }
            return try Self.key(stored: other)
        }
    }

    /// Removes a key.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func removeKey(of account: AccountName) async throws {
        let (keychain, name) = (keychain, account.identifier)
        try await Self.guarded { try keychain.remove(name) }
    }

    private static func newKey() throws -> Data {
        guard SecureEnclave.isAvailable else {
            return Data([softwareMark]) + Data(try EmployeeKey.generate().privateBytes)
        }
        var failure: Unmanaged<CFError>?
        // The key is usable after the first unlock, on this device only, without asking the person for each signature.
        guard
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, &failure)
        else {
            failure?.release()
            throw StorageFailure()
        }
        let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: access)
        return Data([enclaveMark]) + key.dataRepresentation
    }

    private static func key(stored: Data) throws -> any DeviceKey {
        switch stored.first {
        case enclaveMark: return try EnclaveDeviceKey(dataRepresentation: Data(stored.dropFirst()))
        case softwareMark: return try EmployeeKey(privateBytes: Array(stored.dropFirst()))
        default: throw StorageFailure()
        }
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.keyFileInvalid) }
    }
}
#endif
