import Canonical
import Testing

@testable import Keys

@Suite struct SecretKeyTests {
    @Test func `only 32 bytes make a key`() throws {
        for count in [0, 16, 31, 33, 64] { #expect(SecretKey(bytes: [UInt8](repeating: 1, count: count)) == nil) }
        #expect(try Sample.wrapping.bytes == Array(0..<32))
    }

    @Test func `random keys differ`() {
        #expect(SecretKey() != SecretKey())
        #expect(SecretKey().bytes != [UInt8](repeating: 0, count: 32))
    }

    @Test func `nothing that holds a key shows it`() throws {
        let key = try Sample.key(repeatElement(0x5A, count: 32))
        let ring = try Sample.ring
        let masters = try MasterKeys(current: 1, keys: [1: key])
        let values: [Any] = [
            key, PersonKey(id: try Sample.person, key: key), masters, ring, [1: key],
            BucketKey(bucket: Bucket(number: 1), epoch: 1, key: key),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [String(describing: value), String(reflecting: value), "\(value)", dumped] {
                #expect(text.contains("[redacted]") || text.contains("redacted"), "\(type(of: value))")
                for secret in ["90", "5a5a", "5A5A", "WlpaWl", "SecureBytes", "SymmetricKey"] {
                    #expect(!text.contains(secret), "\(type(of: value)) shows \(secret)")
                }
            }
        }
    }
}
