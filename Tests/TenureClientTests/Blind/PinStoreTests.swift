import Foundation
import Testing

@testable import TenureClient

@Suite struct PinStoreTests {
    private let pin = CredentialPin(
        tenant: UUID(), credentialId: UUID(), recordHash: [UInt8](repeating: 1, count: 32),
        contextHash: [UInt8](repeating: 2, count: 32))

    private func check(_ store: some PinStore) async throws {
        let account = try PinnedAccount(baseURL: "https://id.example", company: "Acme", employee: "7")
        #expect(try await store.pin(of: account) == nil)
        try await store.keep(pin, of: account)
        let spelled = try PinnedAccount(baseURL: "https://id.example", company: " ACME ", employee: "7")
        #expect(try await store.pin(of: spelled) == pin)
        for other in [
            try PinnedAccount(baseURL: "https://id.example", company: "Acme", employee: "8"),
            try PinnedAccount(baseURL: "https://id2.example", company: "Acme", employee: "7"),
        ] { #expect(try await store.pin(of: other) == nil) }
        try await store.forget(account)
        try await store.forget(account)
        #expect(try await store.pin(of: account) == nil)
    }

    @Test func `pins in memory belong to one account`() async throws { try await check(MemoryPinStore()) }

    @Test func `pins in files belong to one account, and only the owner reads them`() async throws {
        let path = NSTemporaryDirectory() + "pins-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = FilePinStore(path: path)
        try await check(store)
        let account = try PinnedAccount(baseURL: "b", company: "c", employee: "e")
        try store.keep(pin, of: account)
        let file = path + "/" + account.name + ".pin"
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
        #expect(try FilePinStore(path: path).pin(of: account) == pin)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        #expect {
            try store.pin(of: account)
        } throws: {
            ($0 as? TenureClientError)?.code == .pinInvalid
        }
    }
}
