import Testing

@testable import Credentials

/// Records that replace records: changed with the old key, recovered with two approvals.
@Suite struct SuccessionOfRecordsTests {
    let first: Fixture
    let previous: PreviousCredentials

    init() throws {
        first = try Fixture.passphraseOnly.get()
        previous = PreviousCredentials(first.record)
    }

    private func replace(
        _ authority: SetUpAuthority, previous: PreviousCredentials?
    ) throws -> (SetUpPlan, CredentialsRecord) {
        var plan = first.plan
        plan.credentialId = Randomness.system.uuid()
        plan.previous = previous
        let new = try CredentialSetUp(
            plan: plan, questions: Fixture.questions, passphrase: "another long passphrase"
        ).complete(seed: first.seed, authority: authority)
        return (plan, try new.record(deviceSignature: nil, employeeKey: first.device.publicKey))
    }

    @Test func `a change is signed by the replaced key and verifies only after its predecessor`() throws {
        let (plan, record) = try replace(.changed(oldKey: first.new.userKey), previous: previous)
        #expect(record.content.generation == 2)
        #expect(record.content.previousHash == first.record.hash)
        try record.verify(employeeKey: first.device.publicKey, previous: previous)
        try record.require(plan)
        #expect(try CredentialsRecord(bytes: record.bytes) == record)
        expect(.recordInvalid) { try record.verify(employeeKey: first.device.publicKey) }
        let other = PreviousCredentials(try Fixture.answers.get().record)
        expect(.recordInvalid) { try record.verify(employeeKey: first.device.publicKey, previous: other) }
        let foreignKey = try PreviousCredentials(
            hash: previous.hash, generation: 1, userPublicKey: UserKey.generate(.system).publicKey)
        expect(.recordInvalid) { try record.verify(employeeKey: first.device.publicKey, previous: foreignKey) }
        let later = try PreviousCredentials(
            hash: previous.hash, generation: 2, userPublicKey: previous.userPublicKey)
        expect(.recordInvalid) { try record.verify(employeeKey: first.device.publicKey, previous: later) }
    }

    @Test func `a passkey stands in for the replaced key, in a record of its own form`() throws {
        let (plan, record) = try replace(.passkey, previous: previous)
        try record.verify(employeeKey: first.device.publicKey, previous: previous)
        try record.require(plan)
        #expect(record.content.authority == .passkey && record.content.generation == 2)
        #expect(try CredentialsRecord(bytes: record.bytes) == record)
        expect(.recordInvalid) { try record.verify(employeeKey: first.device.publicKey) }
        expect(.recordInvalid) { _ = try replace(.passkey, previous: nil) }
    }

    @Test func `a key that is not the predecessor's cannot sign a change`() throws {
        let stranger = try UserKey.generate(.system)
        expect(.recordInvalid) { _ = try replace(.changed(oldKey: stranger), previous: previous) }
        expect(.recordInvalid) { _ = try replace(.changed(oldKey: first.new.userKey), previous: nil) }
    }

    @Test func `a recovery names two different approvals`() throws {
        let one = [UInt8](repeating: 1, count: 32)
        let two = [UInt8](repeating: 2, count: 32)
        let (_, record) = try replace(.recovered(firstApproval: one, secondApproval: two), previous: previous)
        try record.verify(employeeKey: first.device.publicKey, previous: previous)
        #expect(try CredentialsRecord(bytes: record.bytes) == record)
        expect(.recordInvalid) {
            _ = try replace(.recovered(firstApproval: one, secondApproval: one), previous: previous)
        }
        expect(.recordInvalid) {
            _ = try replace(.recovered(firstApproval: one, secondApproval: [2]), previous: previous)
        }
        expect(.recordInvalid) {
            _ = try replace(.recovered(firstApproval: one, secondApproval: two), previous: nil)
        }
    }

    @Test func `an initial record after another record is refused`() throws {
        expect(.recordInvalid) { _ = try replace(.initial, previous: previous) }
        expect(.recordInvalid) { try first.record.verify(employeeKey: first.device.publicKey, previous: previous) }
    }

    @Test func `a predecessor needs a non-zero hash and a generation below the maximum`() throws {
        let key = previous.userPublicKey
        expect(.recordInvalid) {
            _ = try PreviousCredentials(hash: [UInt8](repeating: 0, count: 32), generation: 1, userPublicKey: key)
        }
        expect(.recordInvalid) { _ = try PreviousCredentials(hash: [1], generation: 1, userPublicKey: key) }
        for generation in [UInt32(0), .max] {
            expect(.recordInvalid) {
                _ = try PreviousCredentials(hash: previous.hash, generation: generation, userPublicKey: key)
            }
        }
    }
}
