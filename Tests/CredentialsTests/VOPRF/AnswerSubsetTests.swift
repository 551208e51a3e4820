import Canonical
import Foundation
import Testing

@testable import Credentials

@Suite struct AnswerSubsetTests {
    @Test func `the ten subsets have the frozen order`() {
        #expect(
            AnswerSubset.all.map(\.description) == [
                "123", "124", "125", "134", "135", "145", "234", "235", "245", "345",
            ])
        #expect(AnswerSubset.all.map(\.index) == Array(0...9))
    }

    @Test func `three, four and five answers cover one, four and ten subsets`() {
        #expect(AnswerSubset.within([0, 2, 4]).map(\.description) == ["135"])
        #expect(AnswerSubset.within([0, 1, 2, 4]).map(\.description) == ["123", "125", "135", "235"])
        #expect(AnswerSubset.within([0, 1, 2, 3, 4]).count == 10)
        #expect(AnswerSubset.within([0, 1]).isEmpty)
    }

    @Test func `slot bytes round-trip and others are refused`() {
        for byte in UInt8.min ... .max {
            #expect(CopySlot(byte: byte)?.byte == (byte < 10 || byte == 255 ? byte : nil))
        }
    }

    @Test func `framed inputs differ for every set of answers`() throws {
        let id = try #require(UUID(lowercased: "00112233-4455-6677-8899-aabbccddeeff"))
        func input(_ answers: [String]) -> [UInt8] {
            VOPRFInput(
                credentialId: id, subset: AnswerSubset.all[3], answers: answers.map { (id, Array($0.utf8)) }
            ).bytes
        }
        #expect(input(["ab", "c", "d"]) != input(["a", "bc", "d"]))
        let idHex = "00112233445566778899aabbccddeeff"
        let expected =
            Hex.encode(Array("tenure/v1/answers".utf8)) + idHex + "03" + idHex + "00026162" + idHex + "000163" + idHex
            + "000164"
        #expect(Hex.encode(input(["ab", "c", "d"])) == expected)
        #expect(
            Hex.encode(VOPRFInput(credentialId: id, passphrase: Array("pq".utf8)).bytes)
                == Hex.encode(Array("tenure/v1/passphrase".utf8)) + idHex + "00027071")
    }
}
