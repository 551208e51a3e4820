import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// A change in blind mode: what an honest service gets, and that a hostile one gets nothing.
@Suite struct HostileChangeTests {
    private static let new = CredentialsRequest(
        securityQuestions: (1...5).map { .init(question: "N\($0)?", answer: "secret \($0)") },
        passphrase: "a passphrase")

    private func service(_ cheat: BlindService.Cheat?) throws -> BlindService {
        let (account, other) = try BlindService.Account.pair.get()
        return BlindService(
            .change, account, other, cheat: cheat,
            plan: try SetUpPlan(
                credentialId: UUID(), userId: account.record.sealed.context.userId, mode: .blind, seed: account.seed,
                previous: PreviousCredentials(account.record), kdf: try ScryptParameters(log2N: 14)))
    }

    private func change(
        _ service: BlindService, _ pins: some PinStore, key: EmployeeKey
    ) async throws -> FlowOutcomeResponse {
        let client = TenureClient(
            baseURL: "https://id.example", appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: service, retries: RetryPolicy(attempts: 1))
        let flow = try await client.startChange(company: "acme.example", employee: "7", key: key)
        let asked = try await client.proveKey(flow, key: key)
        return try await client.changeBlindCredentials(
            flow, asked, current: .answers(service.account.answers(asked)), to: Self.new, key: key, pins: pins)
    }

    @Test func `hands in a record that follows the old one by the old key's signature, and pins it`() async throws {
        let service = try service(nil), pins = MemoryPinStore(), key = try EmployeeKey.generate()
        _ = try await change(service, pins, key: key)
        let proofs = await service.proofs
        #expect(proofs.map { $0.credentials == nil } == [true, false])
        let record = try CredentialsRecord(bytes: try #require(proofs.last?.credentials?.record))
        try record.verify(employeeKey: key.publicKey, previous: PreviousCredentials(service.account.record))
        try record.require(try #require(service.plan))
        let account = try PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7")
        #expect(await pins.pin(of: account)?.recordHash == record.hash)
        let bodies = await service.sent.map { String(decoding: $0.body ?? [], as: UTF8.self) }.joined()
        #expect(!bodies.contains("secret") && !bodies.contains("passphrase\""))
    }

    @Test(arguments: [BlindService.Cheat.otherPrevious, .sameCredential])
    func `signs no record that follows another than the opened one, or replaces itself`(
        cheat: BlindService.Cheat
    ) async throws {
        let service = try service(cheat), pins = MemoryPinStore()
        let error = await #expect(throws: TenureClientError.self) {
            try await change(service, pins, key: try EmployeeKey.generate())
        }
        #expect(error?.description == "client.signing_refused")
        #expect(await service.proofs.allSatisfy { $0.credentials == nil }, "no record was handed in")
        let account = try PinnedAccount(baseURL: "https://id.example", company: "acme.example", employee: "7")
        #expect(await pins.pin(of: account)?.recordHash == service.account.record.hash, "what was opened is pinned")
    }
}
