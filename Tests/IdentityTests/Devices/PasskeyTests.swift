import Canonical
@testable import Identity
import Testing

@Suite struct `Passkeys of an account` {
    private static let key = Scene.otherKey

    private static func present(
        _ key: PublicKeyBytes, _ passkey: PasskeyFacts?, at time: Timestamp = Scene.now
    ) -> Employee.Command {
        .presentKey(.init(key: key, flow: EventSamples.flow, time: time, passkey: passkey))
    }

    private static func use(
        _ number: UInt8 = 1, flags: UInt8 = 0x05, counter: UInt8, after: Int = 0
    ) throws -> Employee.Command {
        .usePasskey(
            Employee.UsePasskey(
                key: key, flow: Sample.id(number), challenge: [1],
                evidence: try Sample.evidence(2, flags: flags, counter: counter),
                time: Scene.now.adding(.seconds(after))))
    }

    /// An active employee whose passkey is in force.
    private static func state(_ passkey: PasskeyFacts, _ further: [Employee.Command] = []) throws -> Employee.State {
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        return try Scene.state(
            [
                .register(try Scene.register(policy: TenantPolicy(approval: .automatic))), present(key, passkey),
                Scene.authorize(key, by: byApp),
            ] + further, at: Scene.now)
    }

    @Test func `a presented passkey keeps its facts, and fixes the account's handle`() throws {
        let passkey = try Sample.passkey(0x71, backupEligible: true, backedUp: true)
        let state = try Self.state(passkey)
        #expect(state.keys[Self.key]?.passkey == passkey)
        #expect(state.passkeyHandle == passkey.userHandle)
        #expect(state.holding(of: Self.key) == .synced)
        #expect(try Self.state(try Sample.passkey(0x71)).holding(of: Self.key) == .bound)
        #expect(state.holding(of: Scene.firstKey) == .software)
    }

    @Test func `a passkey with another handle, or a credential id of the account, is refused`() throws {
        let state = try Self.state(try Sample.passkey(0x71))
        let third = Scene.secondKey
        #expect(throws: Employee.Rejection.passkeyDiffers) {
            try Employee.decide(state, Self.present(third, try Sample.passkey(0x72, handle: 0x52)))
        }
        #expect(throws: Employee.Rejection.passkeyDiffers) {
            try Employee.decide(state, Self.present(third, try Sample.passkey(0x71)))
        }
        #expect(try Employee.decide(state, Self.present(third, try Sample.passkey(0x72))).count == 1)
    }

    @Test func `a passkey is presented as no other kind, and another key as no passkey`() throws {
        let state = try Self.state(try Sample.passkey(0x71))
        #expect(throws: Employee.Rejection.passkeyDiffers) { try Employee.decide(state, Self.present(Self.key, nil)) }
        #expect(throws: Employee.Rejection.passkeyDiffers) {
            try Employee.decide(state, Self.present(Scene.firstKey, try Sample.passkey(0x72)))
        }
        let rsa = try #require(PublicKeyBytes([UInt8](repeating: 0xFF, count: 256)))
        #expect(throws: Employee.Rejection.passkeyDiffers) { try Employee.decide(state, Self.present(rsa, nil)) }
        #expect(try Employee.decide(state, Self.present(rsa, try Sample.passkey(0x72))).count == 1)
    }

    @Test func `a log-in takes its challenge once`() throws {
        let state = try Self.state(try Sample.passkey(0x71), [try Self.use(counter: 0)])
        #expect(throws: Employee.Rejection.challengeUsed) {
            try Employee.decide(state, try Self.use(counter: 0, after: 120))
        }
        #expect(try Employee.decide(state, try Self.use(2, counter: 0)).count == 1)
    }

    @Test func `only an authorized passkey of an active employee logs in`() throws {
        let pending = try Scene.state([
            .register(try Scene.register(policy: TenantPolicy(approval: .automatic))),
            Self.present(Self.key, try Sample.passkey(0x71)),
        ])
        #expect(throws: Employee.Rejection.unknownKey) { try Employee.decide(pending, try Self.use(counter: 0)) }
        let byApp = try Scene.decision(Scene.appCaller(), key: Scene.appKey)
        let software = try Scene.state([
            .register(try Scene.register(policy: TenantPolicy(approval: .automatic))), Self.present(Self.key, nil),
            Scene.authorize(Self.key, by: byApp),
        ])
        #expect(throws: Employee.Rejection.unknownKey) { try Employee.decide(software, try Self.use(counter: 0)) }
        let cancelled = try Self.state(try Sample.passkey(0x71), [try Scene.cancel()])
        #expect(throws: Employee.Rejection.inactive) { try Employee.decide(cancelled, try Self.use(counter: 0)) }
    }

    @Test func `a change of the backup is an event, once`() throws {
        let passkey = try Sample.passkey(0x71, backupEligible: true)
        let first = try Employee.decide(try Self.state(passkey), try Self.use(flags: 0x1D, counter: 0))
        #expect(
            first.dropFirst() == [
                .passkeyBackupChanged(
                    PasskeyBackupChanged(
                        employeeID: Scene.employee, fingerprint: KeyFingerprint(of: Self.key), backedUp: true))
            ])
        let state = try Self.state(passkey, [try Self.use(flags: 0x1D, counter: 0)])
        #expect(state.keys[Self.key]?.passkey?.backedUp == true)
        #expect(try Employee.decide(state, try Self.use(2, flags: 0x1D, counter: 0)).count == 1)
    }

    @Test func `a counter that does not rise is told only after two minutes, and refuses nothing`() throws {
        let state = try Self.state(try Sample.passkey(0x71, counter: 3), [try Self.use(counter: 9)])
        // It overtook the log-in with 9.
        #expect(try Employee.decide(state, try Self.use(2, counter: 8, after: 120)).count == 1)
        let repeated = try Employee.decide(state, try Self.use(2, counter: 9, after: 121))
        #expect(
            repeated.dropFirst() == [
                .passkeyCounterRepeated(
                    PasskeyCounterRepeated(
                        employeeID: Scene.employee, fingerprint: KeyFingerprint(of: Self.key), counter: 9, previous: 9))
            ])
        #expect(try Employee.decide(state, try Self.use(2, counter: 10, after: 121)).count == 1)
        // That of the presentation counts at once.
        #expect(try Employee.decide(state, try Self.use(2, counter: 3)).count == 2)
        let silent = try Self.state(try Sample.passkey(0x71), [try Self.use(counter: 0)])
        #expect(try Employee.decide(silent, try Self.use(2, counter: 0, after: 121)).count == 1)
    }

    @Test func `keys and signatures have the sizes of their forms only`() throws {
        #expect(PublicKeyBytes([UInt8](repeating: 0x7F, count: 256)) == nil)
        #expect(PublicKeyBytes([UInt8](repeating: 0x80, count: 256)) == nil)
        #expect(PublicKeyBytes([4] + [UInt8](repeating: 0xFF, count: 255)) == nil)
        #expect(PublicKeyBytes([UInt8](repeating: 0xFF, count: 128)) == nil)
        #expect(PublicKeyBytes([UInt8](repeating: 0xFF, count: 512)) == nil)
        let evidence = try Sample.evidence(2, flags: 0x1D, counter: 7)
        #expect(evidence.isPasskey && evidence.isBackedUp == true && evidence.counter == 7)
        #expect(try !Sample.signature(2).isPasskey)
        #expect(SignatureBytes(evidence.bytes + [0]) == nil)
        #expect(SignatureBytes(evidence.bytes.dropLast()) == nil)
        for (index, byte) in [(0, UInt8(1)), (1, 2), (1, 3), (3, 36), (2, 9), (42, 3)] {
            var bytes = evidence.bytes
            bytes[index] = byte
            #expect(SignatureBytes(bytes) == nil, "byte \(index)")
        }
    }
}
