import Canonical

/// One entry of a part of a ledger, with its proof.
struct BundleLine: Sendable, Equatable {
    let entry: [UInt8]
    let index: Int64
    let path: [[UInt8]]

    /// More than an entry of the greatest length and a proof of 63 hashes need, in bytes.
    static let maximumLength = 65_535 + 4_096

    private static let beginning = Array(#"{"entry":"#.utf8)
    private static let middle = Array(#","index":"#.utf8)
    private static let hashes = #","proof":["#

    /// The line, its line feed included.
    var bytes: [UInt8] {
        let proof = path.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        return Self.beginning + entry + Self.middle + Array("\(index)\(Self.hashes)\(proof)]}\n".utf8)
    }

    init(entry: [UInt8], index: Int64, path: [[UInt8]]) {
        self.entry = entry
        self.index = index
        self.path = path
    }

    /// Reads a line without its line feed; nil for anything but the one form. The entry is not looked into.
    init?(parsing line: ArraySlice<UInt8>) {
        // Index and proof hold no quotation mark that could begin `,"index":`, so the last one is the right one.
        guard line.starts(with: Self.beginning), let middle = Self.lastMiddle(line) else { return nil }
        let end = String(decoding: line[(middle + Self.middle.count)...], as: UTF8.self)
        guard let range = end.firstRange(of: Self.hashes), let index = DecimalNumber.parse(end[..<range.lowerBound]),
            end.hasSuffix("]}")
        else { return nil }
        let list = end[range.upperBound...].dropLast(2)
        var path: [[UInt8]] = []
        for item in list.isEmpty ? [] : list.split(separator: ",", omittingEmptySubsequences: false) {
            guard item.utf8.count == 46, item.first == "\"", item.last == "\"", path.count < 63,
                let hash = Base64.decode(String(item.dropFirst().dropLast())), hash.count == 32
            else { return nil }
            path.append(hash)
        }
        self.init(entry: Array(line[(line.startIndex + Self.beginning.count)..<middle]), index: index, path: path)
    }

    private static func lastMiddle(_ line: ArraySlice<UInt8>) -> Int? {
        var place = line.endIndex - middle.count
        while place >= line.startIndex + beginning.count {
            if line[place] == middle[0], line[place...].starts(with: middle) { return place }
            place -= 1
        }
        return nil
    }
}
