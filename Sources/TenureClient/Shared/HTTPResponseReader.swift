/// Reads one HTTP/1.1 response from the bytes of a connection (RFC 9112).
struct HTTPResponseReader {
    /// The maximum size of the status line and the header fields, or of the trailers, in bytes.
    private static let largestHead = 65_536
    /// The maximum length of a line with the size of a chunk.
    private static let longestSizeLine = 1_024

    /// What the next bytes belong to.
    private enum Part {
        case head
        /// A body with so many bytes left.
        case sized(Int)
        /// A body that ends with the connection.
        case untilEnd
        case chunkSize
        /// A chunk with so many bytes left.
        case chunk(Int)
        case chunkEnd
        case trailers
        case done
    }

    private let isHead: Bool
    private let maximumBytes: Int
    private var rest: [UInt8] = []
    private var part = Part.head
    private var response = WireResponse(status: 0)

    /// - Parameters:
    ///   - isHead: Whether the request was `HEAD`, whose response has no body.
    ///   - maximumBytes: The largest permitted body.
    init(isHead: Bool, maximumBytes: Int) {
        self.isHead = isHead
        self.maximumBytes = maximumBytes
    }

    /// Takes the next bytes. Returns the response once it is complete.
    ///
    /// - Throws: ``TenureClientError/Code/responseInvalid`` for what is no response, or one that is too large.
    mutating func read(_ bytes: ArraySlice<UInt8>) throws(TenureClientError) -> WireResponse? {
        rest += bytes
        while let next = try step() {
            part = next
            if case .done = next { return response }
        }
        return nil
    }

    /// Takes note of the end of the connection. Returns the response if the end completes it.
    func end() -> WireResponse? {
        if case .untilEnd = part { return response }
        return nil
    }

    /// Reads one part. Returns the next one, or `nil` if it needs more bytes.
    private mutating func step() throws(TenureClientError) -> Part? {
        switch part {
        case .head: return try readHead()
        case .sized(let count):
            part = .sized(try take(count))
            if case .sized(0) = part { return .done }
            return nil
        case .untilEnd:
            _ = try take(.max)
            return nil
        case .chunkSize:
            guard let line = try line(Self.longestSizeLine) else { return nil }
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            guard let size = Self.number(digits, radix: 16) else { throw TenureClientError(.responseInvalid) }
            return size == 0 ? .trailers : .chunk(size)
        case .chunk(let count):
            part = .chunk(try take(count))
            if case .chunk(0) = part { return .chunkEnd }
            return nil
        case .chunkEnd:
            guard let line = try line(Self.longestSizeLine) else { return nil }
            guard line.isEmpty else { throw TenureClientError(.responseInvalid) }
            return .chunkSize
        case .trailers:
            guard let line = try line(Self.largestHead) else { return nil }
            return line.isEmpty ? .done : .trailers
        case .done: return nil
        }
    }

    /// Moves bytes to the body. Returns how many of `count` are left.
    private mutating func take(_ count: Int) throws(TenureClientError) -> Int {
        let taken = rest.prefix(count)
        guard taken.count <= maximumBytes - response.body.count else { throw TenureClientError(.responseInvalid) }
        response.body += taken
        rest.removeFirst(taken.count)
        return count - taken.count
    }

    /// Removes a line with its end, and returns it without; `nil` if there is no whole line yet.
    private mutating func line(_ limit: Int) throws(TenureClientError) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            guard rest.count <= limit else { throw TenureClientError(.responseInvalid) }
            return nil
        }
        var line = rest[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.count <= limit else { throw TenureClientError(.responseInvalid) }
        rest.removeFirst(end + 1)
        return line
    }

    /// Reads status and header fields. A 1xx response precedes the real one.
    private mutating func readHead() throws(TenureClientError) -> Part? {
        let mark = Array("\r\n\r\n".utf8)
        guard let end = rest.indices.first(where: { rest[$0...].starts(with: mark) }) else {
            guard rest.count <= Self.largestHead else { throw TenureClientError(.responseInvalid) }
            return nil
        }
        guard end <= Self.largestHead else { throw TenureClientError(.responseInvalid) }
        let lines = String(decoding: rest[..<end], as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        rest.removeFirst(end + mark.count)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let status = Int(words[1]),
            status >= 100
        else { throw TenureClientError(.responseInvalid) }
        response = WireResponse(status: status)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
                throw TenureClientError(.responseInvalid)
            }
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
            response.headers[name] = response.headers[name].map { "\($0), \(value)" } ?? value
        }
        return status < 200 ? .head : try body()
    }

    /// How the body of the response ends (RFC 9112 section 6.3).
    private func body() throws(TenureClientError) -> Part {
        if isHead || response.status == 204 || response.status == 304 { return .done }
        if let coding = response.headers["transfer-encoding"] {
            guard coding.lowercased() == "chunked" else { throw TenureClientError(.responseInvalid) }
            return .chunkSize
        }
        guard let length = response.headers["content-length"] else { return .untilEnd }
        guard let count = Self.number(Array(length.utf8)[...], radix: 10), count <= maximumBytes else {
            throw TenureClientError(.responseInvalid)
        }
        return count == 0 ? .done : .sized(count)
    }

    /// A number of digits only.
    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> Int? {
        guard let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}
