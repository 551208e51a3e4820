import Canonical
import Foundation
import Testing
@testable import Credentials

@Suite struct DecoyTests {
    let key: DecoyKey
    let kdf: ScryptParameters

    init() throws {
        key = try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32))
        kdf = try ScryptParameters(log2N: 14)
    }

    private func decoy(_ company: String, _ employee: String) throws -> Decoy {
        try key.decoy(company: Array(company.utf8), employee: Array(employee.utf8), kdf: kdf)
    }

    @Test func `a decoy is the same every time and differs by company, employee and key`() throws {
        let one = try decoy("acme", "bob")
        let again = try decoy("acme", "bob")
        #expect(one.sealed == again.sealed)
        #expect(one.seed.bytes == again.seed.bytes)
        #expect(one.recordHash == again.recordHash && one.recordHash.count == 32)
        #expect(one.questions.map(\.id) == again.questions.map(\.id))
        #expect(one.questions.map(\.question) == again.questions.map(\.question))
        let others = try [
            decoy("acme", "bobb"), decoy("acm", "ebob"), decoy("acmeb", "ob"),
            DecoyKey(bytes: [UInt8](repeating: 1, count: 32))
                .decoy(company: Array("acme".utf8), employee: Array("bob".utf8), kdf: kdf),
        ]
        for other in others {
            #expect(other.seed.bytes != one.seed.bytes && other.recordHash != one.recordHash)
            #expect(other.sealed.context.credentialId != one.sealed.context.credentialId)
            #expect(other.sealed.context.userPublicKey != one.sealed.context.userPublicKey)
        }
    }

    @Test func `a decoy's public keys follow from its seed, and known ones are not derived again`() throws {
        for index in 0..<8 {
            let decoy = try decoy("acme", "employee \(index)"), keys = try decoy.seed.keys()
            #expect(decoy.publicKeys.answers == keys.answers.publicKey)
            #expect(decoy.publicKeys.passphrase == keys.passphrase.publicKey)
            let again = try key.decoy(
                company: Array("acme".utf8), employee: Array("employee \(index)".utf8), kdf: kdf,
                keys: try DecoyPublicKeys(bytes: decoy.publicKeys.bytes))
            #expect(again.publicKeys == decoy.publicKeys && again.sealed == decoy.sealed)
        }
    }

    @Test func `a decoy has the shape of a real credential of its kind`() throws {
        let withQuestions = try Fixture.answers.get()
        let withPassphrase = try Fixture.passphraseOnly.get()
        let withBoth = try Fixture.both.get()
        var kinds: Set<[Bool]> = []
        for index in 0..<96 {
            let decoy = try decoy("acme", "employee \(index)")
            let kind = [decoy.sealed.context.acceptsPassphrase, decoy.sealed.context.acceptsAnswers]
            let real = kind == [true, true] ? withBoth : kind[0] ? withPassphrase : withQuestions
            kinds.insert(kind)
            #expect(decoy.sealed.context.bytes.count == real.context.bytes.count)
            #expect(decoy.sealed.context.slots == real.context.slots)
            #expect(decoy.sealed.context.flags.subtracting(.blindOnly) == real.context.flags)
            #expect(decoy.sealed.answerCopies.map(\.count) == real.sealed.answerCopies.map(\.count))
            #expect(decoy.sealed.passphraseCopy?.count == real.sealed.passphraseCopy?.count)
            #expect(try OpeningContext(bytes: decoy.sealed.context.bytes) == decoy.sealed.context)
            let ids =
                [decoy.sealed.context.credentialId, decoy.sealed.context.userId] + decoy.sealed.context.questionIds
            for id in ids + [key.tenantId(company: [1])] {
                // Random UUIDs of the system are of version 4 and variant 1, so a decoy's are too.
                #expect(id.bytes[6] >> 4 == 4)
                #expect(id.bytes[8] >> 6 == 2)
            }
            #expect(Set(decoy.questions.map(\.question)).count == 5)
            #expect(decoy.questions.map(\.id) == decoy.sealed.context.questionIds)
        }
        #expect(kinds == [[true, true], [true, false], [false, true]])
    }

    @Test func `a decoy's keys evaluate and prove like real ones, and no copy opens`() throws {
        for employee in try ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", employeeAskedForEither()] {
            let decoy = try decoy("acme", employee)
            let context = decoy.sealed.context
            if context.acceptsPassphrase {
                expect(.cannotOpen) {
                    _ = try decoy.sealed.open(
                        passphrase: Passphrase(supplied: "anything at all"), seed: decoy.seed)
                }
            }
            if context.acceptsAnswers {
                let answers = try SuppliedAnswers(
                    context.questionIds.prefix(3).map { ($0, "anything") }, questionIds: context.questionIds)
                expect(.cannotOpen) { _ = try decoy.sealed.open(answers: answers, seed: decoy.seed) }
                let request = try BlindOpening(context: context, answers: answers).first()
                let evaluation = try decoy.seed.keys().answers.evaluate(blinded: request.element)
                expect(.cannotOpen) {
                    _ = try request.open(
                        evaluation: evaluation, copy: decoy.sealed.copy(in: request.slot))
                }
            }
        }
    }

    /// The work of a wrong attempt is the number of copies tried, and that depends on nothing but the answers given.
    @Test(arguments: [(3, 1), (4, 4), (5, 10)]) func `a wrong attempt tries as many copies on a decoy as on a real one`(
        _ given: Int, _ tried: Int
    ) throws {
        let real = try Fixture.answers.get().context
        let decoys = try (0..<8).map { try decoy("acme", "employee \($0)").sealed.context }.filter(\.acceptsAnswers)
        #expect(!decoys.isEmpty)
        for context in [real] + decoys {
            let answers = try SuppliedAnswers(
                context.questionIds.prefix(given).map { ($0, "wrong") }, questionIds: context.questionIds)
            #expect(answers.inputs(context).count == tried)
        }
    }

    /// An id whose decoy takes the passphrase or the answers.
    private func employeeAskedForEither() throws -> String {
        let names = try (0..<400).map { "either \($0)" }.filter {
            let context = try decoy("acme", $0).sealed.context
            return context.acceptsPassphrase && context.acceptsAnswers
        }
        return try #require(names.first)
    }

    @Test func `an unknown tenant has one id for all its employees`() {
        #expect(key.tenantId(company: [1, 2]) == key.tenantId(company: [1, 2]))
        #expect(key.tenantId(company: [1, 2]) != key.tenantId(company: [1, 3]))
    }

    @Test func `about a quarter of decoys ask for a passphrase, and a quarter of those offer questions too`() throws {
        let contexts = try (0..<400).map { try decoy("acme", "\($0)").sealed.context }
        let asked = contexts.filter(\.acceptsPassphrase)
        #expect((60...150).contains(asked.count))
        #expect((10...50).contains(asked.filter(\.acceptsAnswers).count))
    }

    @Test func `a decoy shows questions of version 1 of the published list`() throws {
        for index in 0..<64 {
            let questions = try decoy("acme", "employee \(index)").questions.map(\.question)
            #expect(questions.count == 5 && Set(questions.map(\.number)).count == 5)
            #expect(questions.allSatisfy { $0.version == 1 })
        }
    }

    @Test func `a decoy key has 32 bytes`() {
        for count in [0, 31, 33] {
            expect(.secretInvalid) { _ = try DecoyKey(bytes: [UInt8](repeating: 1, count: count)) }
        }
    }
}

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

    @Test func `some decoys of every kind require blind mode, always the same ones`() throws {
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

    @Test func `each app sees another decoy for a hidden policy`() throws {
        let apps = [UUID(), UUID()]
        let shown = try decoy("bob")
        let hidden = try apps.map { try decoy("bob", hiddenFrom: $0) }
        let ids = ([shown] + hidden).map(\.sealed.context.credentialId)
        #expect(Set(ids).count == 3)
        #expect(try decoy("bob", hiddenFrom: apps[0]).sealed == hidden[0].sealed)
    }

    @Test func `parts of a decoy match the whole, and an absent copy is refused`() throws {
        for index in 0..<32 {
            let employee = Array("employee \(index)".utf8), company = Array("acme".utf8)
            func part(_ parts: Decoy.Parts) throws -> Decoy {
                try key.decoy(company: company, employee: employee, kdf: kdf, parts: parts)
            }
            let whole = try part(.all), copies = try part(.copies), record = try part(.record), least = try part([])
            #expect(whole.sealed == copies.sealed && whole.seed.bytes == least.seed.bytes)
            #expect([copies, record, least].allSatisfy { $0.sealed.context == whole.sealed.context })
            #expect(record.recordHash == whole.recordHash)
            #expect(record.questions.map(\.question) == whole.questions.map(\.question))
            #expect(least.questions.isEmpty && least.recordHash.isEmpty)
            for slot in whole.sealed.context.slots { expect(.notStored) { _ = try least.sealed.copy(in: slot) } }
            // Three keys whatever the decoy asks for: the time that they take must not tell what.
            #expect(whole.publicKeys.bytes.count == 163)
            #expect(try DecoyPublicKeys(bytes: whole.publicKeys.bytes) == whole.publicKeys)
        }
    }

    @Test func `a decoy is the same with known public keys`() throws {
        let first = try decoy("bob")
        let keys = try DecoyPublicKeys(bytes: first.publicKeys.bytes)
        let again = try key.decoy(company: Array("acme".utf8), employee: Array("bob".utf8), kdf: kdf, keys: keys)
        #expect(again.sealed == first.sealed && again.seed.bytes == first.seed.bytes)
        #expect(throws: CredentialsError.self) { try DecoyPublicKeys(bytes: Array(first.publicKeys.bytes.dropLast())) }
        #expect(throws: CredentialsError.self) { try DecoyPublicKeys(bytes: [UInt8](repeating: 4, count: 163)) }
    }
}
