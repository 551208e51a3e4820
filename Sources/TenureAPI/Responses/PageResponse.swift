public import Canonical

/// One page of a list.
public struct PageResponse<Item: JSONConvertible>: Sendable, JSONConvertible {
    /// The items.
    public var items: [Item]
    /// The cursor of the next page, to send as `after`; absent on the last page.
    public var next: Int64?

    /// Makes a page.
    public init(items: [Item], next: Int64? = nil) {
        self.items = items
        self.next = next
    }

    /// Reads a page; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        items = try reader.wire("items")
        next = try reader.optionalInteger("next")
    }

    /// The page.
    public var json: JSONValue {
        .objectOmittingNil(["items": items.json, "next": next.map(JSONValue.integer)])
    }
}

extension PageResponse: Equatable where Item: Equatable {}
