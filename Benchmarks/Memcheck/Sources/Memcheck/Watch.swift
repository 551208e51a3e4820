import CMemcheck

/// Runs parts of the cryptography on hidden secrets and counts what memcheck reports.
struct Watch {
    private(set) var failures = 0

    /// Hides the first `count` bytes of a value, all of them by default.
    static func hide<Value>(_ value: inout Value, count: Int = MemoryLayout<Value>.size) {
        unsafe withUnsafeMutableBytes(of: &value) { bytes in
            unsafe memcheck_hide(bytes.baseAddress, min(count, bytes.count))
        }
    }

    /// Hides the elements of an array.
    static func hide(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe memcheck_hide($0.baseAddress, $0.count) }
    }

    /// Runs `work` and compares the number of reports with what is expected. The bytes that `work` returns are what it
    /// would publish; they are shown before anything else touches them.
    mutating func expect(_ expected: ClosedRange<UInt32>, in name: String, _ work: () throws -> [UInt8]) rethrows {
        let before = memcheck_reports()
        var result = try work()
        let reports = memcheck_reports() - before
        unsafe result.withUnsafeMutableBytes { unsafe memcheck_show($0.baseAddress, $0.count) }
        let isExpected = expected.contains(reports) && !result.allSatisfy { $0 == 0 }
        if !isExpected { failures += 1 }
        print(isExpected ? "right" : "WRONG", "\(reports) reports", name, separator: "\t")
    }
}

/// A generator whose numbers are hidden from the start.
struct HiddenGenerator: RandomNumberGenerator {
    private var state: UInt64 = 0x0123_4567_89ab_cdef

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var number = state
        Watch.hide(&number)
        return number
    }
}
