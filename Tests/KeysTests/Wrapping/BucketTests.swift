import Testing

@testable import Keys

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct BucketTests {
    @Test func `the bucket of an id is the first byte of its hash`() throws {
        #expect(Bucket(of: try Sample.person).number == 1)
        #expect(Bucket(of: try Sample.ledger).number == 25)
    }

    @Test func `there are 256 buckets and ids spread over them`() {
        #expect(Bucket.all.map(\.number) == Array(0...255))
        let counts = (0..<25_600).reduce(into: [Int](repeating: 0, count: 256)) { counts, _ in
            counts[Int(Bucket(of: UUID()).number)] += 1
        }
        // 100 expected each, with a deviation of 10: eight deviations never happen by chance.
        #expect(counts.allSatisfy { (20...180).contains($0) })
    }
}
