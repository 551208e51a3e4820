public import Canonical

/// One thing that was wrong with a request, and where.
public struct ProblemPlace: Sendable, Equatable, JSONConvertible {
    /// Where something was wrong.
    public enum Place: Sendable, Equatable {
        /// In the body, at this JSON pointer (RFC 6901).
        case pointer(String)
        /// In the path or the query, at the parameter of this name.
        case parameter(String)
        /// In the header field of this name.
        case header(String)
        /// In none of these.
        case none
    }

    /// Where.
    public var place: Place
    /// What, without the value.
    public var detail: String

    /// Names a place and what is wrong there.
    public init(_ place: Place, _ detail: String) {
        self.place = place
        self.detail = detail
    }

    /// Reads a place; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        detail = try reader.string("detail")
        if let text = try reader.optionalString("pointer") {
            place = .pointer(text)
        } else if let name = try reader.optionalString("parameter") {
            place = .parameter(name)
        } else if let name = try reader.optionalString("header") {
            place = .header(name)
        } else {
            place = .none
        }
    }

    /// The place and the detail.
    public var json: JSONValue {
        switch place {
        case .pointer(let text): ["pointer": .string(text), "detail": .string(detail)]
        case .parameter(let name): ["parameter": .string(name), "detail": .string(detail)]
        case .header(let name): ["header": .string(name), "detail": .string(detail)]
        case .none: ["detail": .string(detail)]
        }
    }
}
