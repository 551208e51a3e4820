import Credentials
import ErrorCodes
import Testing

@testable import IdentityService

@Suite struct BlindAttemptTests {
    private let subsets = AnswerSubset.all.map { CopySlot.answers($0) }

    private func refusal(_ slots: [CopySlot], _ current: BlindAttempt?) -> String? {
        do throws(ServiceError) {
            _ = try BlindAttempt.request(slots, current: current)
            return nil
        } catch { return error.code.rawValue }
    }

    @Test func `one element always starts a new attempt`() throws {
        for current in [nil, BlindAttempt(first: subsets[3]), BlindAttempt(first: subsets[3], isSpent: true)] {
            for slot in subsets + [.passphrase] {
                #expect(try BlindAttempt.request([slot], current: current) == .first(slot))
            }
        }
    }

    @Test func `nine elements complete the current attempt, once`() throws {
        for first in subsets.indices {
            var others = subsets
            let slot = others.remove(at: first)
            #expect(try BlindAttempt.request(others.shuffled(), current: BlindAttempt(first: slot)) == .rest)
            #expect(refusal(others, BlindAttempt(first: slot, isSpent: true)) == "flow.wrong_step")
            #expect(refusal(others, BlindAttempt(first: subsets[(first + 1) % 10])) == "flow.wrong_step")
            #expect(refusal(others, BlindAttempt(first: .passphrase)) == "flow.wrong_step")
            #expect(refusal(others, nil) == "flow.wrong_step")
        }
    }

    @Test func `any other count, a repetition and a passphrase among answers are refused`() {
        let current = BlindAttempt(first: subsets[0])
        for count in [0, 2, 3, 4, 5, 6, 7, 8, 10] {
            #expect(refusal(Array(subsets.prefix(count)), current) == "request.invalid")
        }
        #expect(refusal(Array(subsets[2...]) + [subsets[2]], current) == "request.invalid")
        #expect(refusal(Array(subsets[2...]) + [.passphrase], current) == "request.invalid")
        #expect(refusal([.passphrase, .passphrase], current) == "request.invalid")
    }

    @Test func `a passphrase attempt has no remaining elements`() {
        #expect(BlindAttempt(first: .passphrase).isSpent)
        #expect(!BlindAttempt(first: subsets[0]).isSpent)
        #expect(BlindAttempt(first: .passphrase).kind == .passphrase)
        #expect(BlindAttempt(first: subsets[9]).kind == .answers)
    }

    @Test func `a set-up evaluates the slots of complete credentials only`() {
        for slots in [subsets, [.passphrase], subsets + [.passphrase], [.passphrase] + subsets.reversed()] {
            #expect(EvaluateSetUp.isWholeSetUp(slots))
        }
        for slots in [[], Array(subsets.dropLast()), subsets + [subsets[0]], [.passphrase, .passphrase]] {
            #expect(!EvaluateSetUp.isWholeSetUp(slots))
        }
    }
}
