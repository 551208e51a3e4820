/// A set of code points as sorted ranges.
struct ScalarSet: Sendable {
    private let first: [UInt32]
    private let last: [UInt32]

    /// Makes a set of ranges that are in order and apart.
    init(_ ranges: [ClosedRange<UInt32>]) {
        first = ranges.map(\.lowerBound)
        last = ranges.map(\.upperBound)
    }

    func contains(_ scalar: UInt32) -> Bool { index(of: scalar) != nil }

    /// The index of the range that holds the code point.
    func index(of scalar: UInt32) -> Int? {
        var low = 0
        var high = first.count
        while low < high {
            let middle = (low + high) / 2
            if first[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        guard low > 0, scalar <= last[low - 1] else { return nil }
        return low - 1
    }
}
