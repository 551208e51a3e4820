import Canonical
import Crypto
import Testing

@testable import MPinRequests

@Suite struct MPinSigningKeyTests {
    private let key = MPinSigningKey(SymmetricKey(data: [UInt8](repeating: 7, count: 32)))

    @Test(arguments: [0, 16, 31, 33, 64])
    func `a key has exactly 32 bytes`(count: Int) {
        #expect(MPinSigningKey(bytes: [UInt8](repeating: 7, count: count)) == nil)
    }

    @Test func `a key of bytes is the key of a file with them`() throws {
        let same = try #require(MPinSigningKey(bytes: [UInt8](repeating: 7, count: 32)))
        #expect(same.bytes == key.bytes)
        #expect(same.signature(of: Sample.hash) == key.signature(of: Sample.hash))
    }

    @Test func `a signature holds for its message and its key only`() throws {
        let other = try #require(MPinSigningKey(bytes: [UInt8](repeating: 8, count: 32)))
        let signature = key.signature(of: Sample.hash)
        #expect(key.verifies(signature, of: Sample.hash))
        #expect(!key.verifies(signature, of: Sample.hash.reversed()))
        #expect(!other.verifies(signature, of: Sample.hash))
        for malformed in ["", "00", signature.uppercased(), signature + "00", String(signature.dropLast(2))] {
            #expect(!key.verifies(malformed, of: Sample.hash))
        }
    }
}
