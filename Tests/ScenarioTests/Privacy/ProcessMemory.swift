import Foundation

/// The memory of another process of ours, as a core file of that moment would have it.
enum ProcessMemory {
    private static let step = 1 << 16
    private static let zeros = Data(count: step)

    /// What the process wrote: its writable memory without the parts that are zero; nil where the system does not let
    /// us look.
    static func writable(of process: Int32) -> Data? {
        guard let maps = try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8),
            let memory = FileHandle(forReadingAtPath: "/proc/\(process)/mem")
        else { return nil }
        defer { try? memory.close() }
        var bytes = Data()
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count > 1, fields[1].hasPrefix("rw") else { continue }
            let range = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard range.count == 2, (try? memory.seek(toOffset: range[0])) != nil else { continue }
            var left = Int(range[1] - range[0])
            // Some pages of a mapping cannot be read; the others can.
            while left > 0, let part = try? memory.read(upToCount: min(left, step)), !part.isEmpty {
                if part != zeros.prefix(part.count) { bytes.append(part) }
                left -= part.count
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}
