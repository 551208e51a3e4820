#if canImport(Security)
import Credentials
import Crypto
import Foundation
import Security

/// Keeps keys in the Secure Enclave where there is one, and in the key chain otherwise (simulators, old hardware).
///
/// Of a key in the enclave the key chain holds a form that only this enclave can use; the private half never leaves it.
public struct KeychainDeviceKeyStore: DeviceKeyStore {
    private static let enclaveMark: UInt8 = 1
    private static let softwareMark: UInt8 = 2
    private let keychain: Keychain

    /// A store whose items have this `kSecAttrService`.
    public init(service: String = "tenure.device-keys") { keychain = Keychain(service: service) }

    /// Finds a key.
    public func key(of account: AccountName) async throws -> (any DeviceKey)? {
        let (keychain, name) = (keychain, account.identifier)
        return try await Self.guarded { try keychain.read(name).map(Self.key(stored:)) }
    }

    /// Makes a key.
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
    public func removeKey(of account: AccountName) async throws {
        let (keychain, name) = (keychain, account.identifier)
        try await Self.guarded { try keychain.remove(name) }
    }

    private static func newKey() throws -> Data {
        guard SecureEnclave.isAvailable else {
            return Data([softwareMark]) + Data(try EmployeeKey.generate().privateBytes)
        }
        var failure: Unmanaged<CFError>?
        // Usable after the first unlock, by this device alone, without asking the person for each signature.
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
