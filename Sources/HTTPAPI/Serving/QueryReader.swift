import Canonical
import TenureAPI

/// Reads the parameters of a query by name, and refuses those nobody asked for and those that come twice.
///
/// Values are percent-decoded once; `+` stands for itself, as RFC 3986 has it.
struct QueryReader {
    private var values: [String: String] = [:]

    init(_ rawQuery: Substring) throws(Refusal) {
        for pair in rawQuery.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0]),
                let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : ""), !value.utf8.contains(0)
            else { throw .invalid(.none, "the query holds something that is not percent-encoded UTF-8") }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid(.parameter(name), "the parameter comes twice")
            }
        }
    }

    /// The text of a parameter.
    mutating func text(_ name: String) -> String? { values.removeValue(forKey: name) }

    /// An integer within a range, in decimal digits.
    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(decimal: text), range.contains(number) else {
            throw .invalid(.parameter(name), "an integer from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }

    /// An instant in UTC, `YYYY-MM-DDThh:mm:ssZ` with up to six digits of a second's fraction.
    mutating func timestamp(_ name: String) throws(Refusal) -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let time = Timestamp(padding: text) else {
            throw .invalid(.parameter(name), "YYYY-MM-DDThh:mm:ss.ffffffZ is expected")
        }
        return time
    }

    /// Refuses the parameters that nobody asked for.
    func finish() throws(Refusal) {
        if let name = values.keys.min() { throw .invalid(.parameter(name), "an unknown parameter") }
    }
}

extension Int64 {
    /// Reads decimal digits without a sign and without leading zeros.
    init?(decimal text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0"), let number = Int64(text)
        else { return nil }
        self = number
    }
}

extension Timestamp {
    /// Reads an instant whose fraction may be shorter than six digits or absent.
    init?(padding text: String) {
        guard text.utf8.last == UInt8(ascii: "Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || (1...6).contains(parts[1].utf8.count) else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        self.init(parts[0] + "." + fraction + String(repeating: "0", count: 6 - fraction.utf8.count) + "Z")
    }
}
