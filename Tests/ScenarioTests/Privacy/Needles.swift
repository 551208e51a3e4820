import Foundation

/// Looks for many byte strings in one pass: what a process has in memory is too long for a pass for each.
struct Needles {
    private static let start = 8
    private var names: [UInt64: [(name: String, bytes: [UInt8])]] = [:]
    /// Whether a needle begins with these two bytes.
    private var beginnings = [Bool](repeating: false, count: 1 << 16)

    /// Takes every form of at least eight bytes.
    init(_ forms: [Forms]) {
        for form in forms {
            for needle in form.needles where needle.count >= Self.start {
                let key = needle.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
                names[key, default: []].append((form.name, needle))
                beginnings[Int(needle.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })] = true
            }
        }
    }

    /// The names of what is there.
    func found(in haystack: Data) -> Set<String> {
        var found: Set<String> = []
        haystack.withUnsafeBytes { hay in
            beginnings.withUnsafeBufferPointer { beginnings in
                guard let base = hay.baseAddress, hay.count >= Self.start else { return }
                var offset = 0
                let last = hay.count - Self.start
                while offset <= last {
                    if beginnings[Int(base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))] {
                        let key = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        for needle in names[key] ?? [] where hay[offset...].starts(with: needle.bytes) {
                            found.insert(needle.name)
                        }
                    }
                    offset += 1
                }
            }
        }
        return found
    }
}
