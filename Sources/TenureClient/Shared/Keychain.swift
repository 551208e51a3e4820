#if canImport(Security)
import Foundation
import Security

/// Generic passwords in the key chain, each with a service and an account.
///
/// Items stay on this device. No backup restores them on another device.
struct Keychain: Sendable {
    /// The `kSecAttrService` of every item.
    let service: String

    /// Reads an item; `nil` if there is none.
    func read(_ account: String) throws -> Data? {
        var query = query(account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &found) {
        case errSecSuccess: return found as? Data
        case errSecItemNotFound: return nil
        default: throw StorageFailure()
        }
    }

    /// Adds an item. Returns `false` and leaves the existing item if there is one.
    func create(_ account: String, _ data: Data) throws -> Bool {
        var query = query(account)
        query[kSecValueData as String] = data
        query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        switch SecItemAdd(query as CFDictionary, nil) {
        case errSecSuccess: return true
        case errSecDuplicateItem: return false
        default: throw StorageFailure()
        }
    }

    /// Stores an item and replaces an existing one.
    func replace(_ account: String, _ data: Data) throws {
        if try create(account, data) { return }
        let change = [kSecValueData as String: data]
        guard SecItemUpdate(query(account) as CFDictionary, change as CFDictionary) == errSecSuccess else {
            throw StorageFailure()
        }
    }

    /// Removes an item. Succeeds if there is none.
    func remove(_ account: String) throws {
        let status = SecItemDelete(query(account) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw StorageFailure() }
    }

    /// Returns the accounts of all items.
    func accounts() throws -> [String] {
        var query = allItems
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        var found: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &found) {
        case errSecSuccess:
            guard let items = found as? [[String: Any]] else { throw StorageFailure() }
            return items.compactMap { $0[kSecAttrAccount as String] as? String }
        case errSecItemNotFound: return []
        default: throw StorageFailure()
        }
    }

    private func query(_ account: String) -> [String: Any] {
        allItems.merging([kSecAttrAccount as String: account]) { _, own in own }
    }

    private var allItems: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: true,
        ]
    }
}
#endif
