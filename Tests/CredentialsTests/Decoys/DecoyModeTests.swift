import Foundation
import Testing

@testable import Credentials

@Suite struct DecoyModeTests {
    let key: DecoyKey
    let kdf: ScryptParameters

    init() throws {
        key = try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32))
        kdf = try ScryptParameters(log2N: 14)
    }

    private func decoy(_ employee: String, hiddenFrom app: UUID? = nil, share: Int = Decoy.blindOnlyShare) throws
        -> Decoy
    {
        try key.decoy(
            company: Array("acme".utf8), employee: Array(employee.utf8), hiddenFrom: app, kdf: kdf,
            blindOnlyShare: share)
    }

    @Test func `some decoys insist on the blind mode, always the same ones, of every kind`() throws {
        var chosen: [Bool] = [], kinds: Set<Bool> = []
        for index in 0..<256 {
            let context = try decoy("employee \(index)").sealed.context
            chosen.append(context.flags.contains(.blindOnly))
            if chosen[index] { kinds.insert(context.acceptsPassphrase) }
            #expect(try OpeningContext(bytes: context.bytes) == context)
        }
        // Sixteen of 256 are expected; outside these bounds the key would have to be a very unlucky one.
        #expect((4...36).contains(chosen.count { $0 }))
        #expect(kinds == [true, false])
        for index in 0..<16 {
            #expect(try decoy("employee \(index)").sealed.context.flags.contains(.blindOnly) == chosen[index])
            #expect(try !decoy("employee \(index)", share: 0).sealed.context.flags.contains(.blindOnly))
            #expect(try decoy("employee \(index)", share: 256).sealed.context.flags.contains(.blindOnly))
        }
    }

    @Test func `what a company hides is another decoy to each app`() throws {
        let apps = [UUID(), UUID()]
        let shown = try decoy("bob")
        let hidden = try apps.map { try decoy("bob", hiddenFrom: $0) }
        let ids = ([shown] + hidden).map(\.sealed.context.credentialId)
        #expect(Set(ids).count == 3)
        #expect(try decoy("bob", hiddenFrom: apps[0]).sealed == hidden[0].sealed)
    }

    @Test func `parts of a decoy are those of the whole, and a copy that was not made is refused`() throws {
        for index in 0..<32 {
            let employee = Array("employee \(index)".utf8), company = Array("acme".utf8)
            func part(_ parts: Decoy.Parts) throws -> Decoy {
                try key.decoy(company: company, employee: employee, kdf: kdf, parts: parts)
            }
            let whole = try part(.all), copies = try part(.copies), record = try part(.record), least = try part([])
            #expect(whole.sealed == copies.sealed && whole.seed.bytes == least.seed.bytes)
            #expect([copies, record, least].allSatisfy { $0.sealed.context == whole.sealed.context })
            #expect(record.recordHash == whole.recordHash)
            #expect(record.questions.map(\.text) == whole.questions.map(\.text))
            #expect(least.questions.isEmpty && least.recordHash.isEmpty)
            for slot in whole.sealed.context.slots { expect(.notStored) { _ = try least.sealed.copy(in: slot) } }
            // Three keys whatever the decoy asks for: the time that they take must not tell what.
            #expect(whole.publicKeys.bytes.count == 163)
            #expect(try DecoyPublicKeys(bytes: whole.publicKeys.bytes) == whole.publicKeys)
        }
    }

    @Test func `a decoy is the same when its public keys are known from before`() throws {
        let first = try decoy("bob")
        let keys = try DecoyPublicKeys(bytes: first.publicKeys.bytes)
        let again = try key.decoy(company: Array("acme".utf8), employee: Array("bob".utf8), kdf: kdf, keys: keys)
        #expect(again.sealed == first.sealed && again.seed.bytes == first.seed.bytes)
        #expect(throws: CredentialsError.self) { try DecoyPublicKeys(bytes: Array(first.publicKeys.bytes.dropLast())) }
        #expect(throws: CredentialsError.self) { try DecoyPublicKeys(bytes: [UInt8](repeating: 4, count: 163)) }
    }
}
