import Canonical
import Crypto
import Foundation
import Testing

@testable import Credentials

/// Somebody with a copy of the database, all the time in the world, and a list that holds the true answers.
@Suite(.onServer)
struct `A cracker with the database` {
    /// Tries to open the copies with each combination of candidates, under each key that a thief could think of.
    private func crack(
        _ stored: StoredSecrets, _ candidates: [[String]], _ phrases: [String], seeds: [OPRFSeed]
    ) throws -> Bool {
        let context = stored.context
        var inputs: [VOPRFInput] = []
        for choice in 0..<(candidates.first?.count ?? 0) where context.acceptsAnswers {
            let pairs = zip(context.questionIds, candidates).map { (questionId: $0, answer: $1[choice]) }
            inputs += try SuppliedAnswers(pairs, questionIds: context.questionIds).inputs(context)
        }
        for phrase in phrases where context.acceptsPassphrase {
            inputs.append(
                VOPRFInput(
                    credentialId: context.credentialId, passphrase: try Passphrase(supplied: phrase).secret.bytes))
        }
        for input in inputs {
            let copy = try stored.sealed.copy(in: input.slot)
            // Without any key: what a scheme would use that has no oblivious function.
            var outputs = [
                SecretBytes(Array(SHA384.hash(data: input.bytes))), SecretBytes(Array(SHA256.hash(data: input.bytes))),
            ]
            for seed in seeds { outputs.append(try seed.keys().key(for: input.slot).evaluator()(input)) }
            for output in outputs
            where (try? SealedCopy.open(copy, under: output, slot: input.slot, context: context)) != nil {
                return true
            }
        }
        return false
    }

    @Test(arguments: [true, false])
    func `finds none of them without the master key, though they are in the list, and finds them with it`(
        withQuestions: Bool
    ) async throws {
        try await inTurn { world in
            let company = "cracked-\(withQuestions).example"
            let person = withQuestions ? Person.withQuestions("f", at: company) : Person("f", at: company)
            _ = try await world.client.foundBlind(company, by: person)
            let stored = try await StoredSecrets.last(in: world)
            let candidates = person.questions.map { ["not this", $0.answer] }
            let phrases = [Person.word()] + (person.passphrase.map { [$0] } ?? [])
            // What lies about in the database in the place of the seed.
            let lying =
                stored.wrapped.flatMap { [Array($0.prefix(32)), Array($0.suffix(32)), Array(SHA256.hash(data: $0))] }
                + [[UInt8](repeating: 0, count: 32), Array(SHA256.hash(data: stored.context.bytes))]
            let guesses = try lying.filter { $0.count == 32 }.map { try OPRFSeed(bytes: $0) }
            #expect(stored.wrapped.isEmpty == false && guesses.count >= 5)
            #expect(try !crack(stored, candidates, phrases, seeds: guesses))
            // The same cracker with the seed, which is what the master key is for: the list was good.
            #expect(try crack(stored, candidates, phrases, seeds: [stored.seed]))
            // No value that confirms a guess lies in a table, and neither does the seed itself.
            let confirmers = try Confirmers(person, stored)
            #expect(confirmers.forms.count > (withQuestions ? 30 : 4))
            let (dump, _) = try await world.dump()
            #expect(confirmers.found(in: dump) == [])
            #expect(!Forms("seed", bytes: stored.seed.bytes).isFound(in: dump))
            // The search finds what is there.
            #expect(Forms("user public key", bytes: stored.context.userPublicKey.bytes).isFound(in: dump))
        }
    }
}
