import Canonical
import IdentityService
import TenureAPI

/// The raw path and query of a request.
struct RequestTarget {
    /// The path, percent-encoded.
    let rawPath: Substring
    /// The query without its question mark.
    let rawQuery: Substring

    /// Parses the origin form and the absolute form (RFC 9112 §3.2). Returns `nil` for other forms and for bytes other
    /// than visible ASCII.
    init?(_ target: String) {
        guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        var rest = Substring(target)
        if let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) {
            // The authority is ignored: no response depends on the host name that the caller used.
            rest = rest.dropFirst(scheme.count)
            rest = rest.drop { $0 != "/" && $0 != "?" }
            if !rest.hasPrefix("/") { rest = "/" + rest }
        }
        guard rest.hasPrefix("/") else { return nil }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        rawPath = parts[0]
        rawQuery = parts.count > 1 ? parts[1] : ""
    }
}

/// Reads query parameters by name. Rejects unknown and duplicate parameters.
///
/// Values are percent-decoded once. `+` is a literal plus, as in RFC 3986.
struct QueryReader {
    private var values: [String: String] = [:]

    init(_ rawQuery: Substring) throws(Refusal) {
        for pair in rawQuery.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0]),
                let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : ""), !value.utf8.contains(0)
            else { throw .invalid(.none, "the query contains something that is not percent-encoded UTF-8") }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid(.parameter(name), "the parameter is given twice")
            }
        }
    }

    /// Reads the text of a parameter.
    mutating func text(_ name: String) -> String? { values.removeValue(forKey: name) }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(decimal: text), range.contains(number) else {
            throw .invalid(.parameter(name), "an integer from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }

    /// Reads which page of a list is asked for.
    mutating func page(upTo largest: Int64 = 200, usual: Int64 = 50) throws(Refusal) -> PageRequest {
        PageRequest(
            after: try integer("after", in: 0...Int64.max) ?? 0,
            limit: Int(try integer("limit", in: 1...largest) ?? usual))
    }

    /// Reads an instant in UTC, `YYYY-MM-DDThh:mm:ssZ` with up to six fractional digits.
    mutating func timestamp(_ name: String) throws(Refusal) -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let time = Timestamp(padding: text) else {
            throw .invalid(.parameter(name), "YYYY-MM-DDThh:mm:ss.ffffffZ is expected")
        }
        return time
    }

    /// Throws if parameters are left that the route has not read.
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
