import Crypto
import Foundation

@testable import Credentials

/// A stream of bytes that is the same for the same seed: SHA-256 of seed and counter.
final class SeededStream: @unchecked Sendable {
    // The lock guards both variables, and nothing else touches them.
    private let lock = NSLock()
    private var counter: UInt32 = 0
    private var rest: [UInt8] = []
    private let seed: [UInt8]

    init(_ seed: String) { self.seed = Array(seed.utf8) }

    func bytes(_ count: Int) -> [UInt8] {
        lock.lock()
        defer { lock.unlock() }
        while rest.count < count {
            var block = ByteWriter()
            block.raw(seed)
            block.u32(counter)
            counter += 1
            rest += Array(SHA256.hash(data: block.bytes))
        }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    func below(_ bound: Int) -> Int {
        Int(bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } % UInt32(bound))
    }
}

extension Randomness {
    static func seeded(_ seed: String) -> Randomness {
        let stream = SeededStream(seed)
        return Randomness { stream.bytes($0) }
    }
}
