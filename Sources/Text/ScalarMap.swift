/// A mapping of code points to strings of them; those without an entry map to themselves.
struct ScalarMap: Sendable {
    private let keys: [UInt32]
    /// Where the image of each key starts in `images`, and the end of the last.
    private let starts: [Int]
    private let images: [UInt32]

    /// Makes a mapping from entries in order of their keys.
    init(_ entries: [(key: UInt32, image: [UInt32])]) {
        keys = entries.map(\.key)
        images = entries.flatMap(\.image)
        var starts = [0]
        for entry in entries { starts.append((starts.last ?? 0) + entry.image.count) }
        self.starts = starts
    }

    func map(_ scalars: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count)
        for scalar in scalars { append(scalar, to: &result) }
        return result
    }

    func append(_ scalar: UInt32, to result: inout [UInt32]) {
        if let image = image(scalar) { result.append(contentsOf: image) } else { result.append(scalar) }
    }

    /// The mapping applied to its own images until nothing changes.
    func expanded() -> ScalarMap {
        func expand(_ scalar: UInt32) -> [UInt32] {
            guard let image = image(scalar) else { return [scalar] }
            return image.flatMap(expand)
        }
        return ScalarMap(keys.map { ($0, expand($0)) })
    }

    private func image(_ scalar: UInt32) -> ArraySlice<UInt32>? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < scalar { low = middle + 1 } else { high = middle }
        }
        guard low < keys.count, keys[low] == scalar else { return nil }
        return images[starts[low]..<starts[low + 1]]
    }
}
