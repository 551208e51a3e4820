package import Canonical

package struct QueryParameter: Sendable {
    package let name: String
    /// The values that are accepted.
    package let value: ValueDescription
    /// The value of its absence, if that has one.
    package let absent: JSONValue?

    private init(_ name: String, _ value: ValueDescription, absent: JSONValue? = nil) {
        self.name = name
        self.value = value
        self.absent = absent
    }

    private static let text = ValueDescription.string(format: "text")

    /// The cursor of a page.
    static let after = QueryParameter("after", .integer(0...JSONValue.integerRange.upperBound), absent: 0)
    /// The number of elements of a page.
    static let limit = QueryParameter("limit", .integer(1...200), absent: 50)
    /// The number of events of a page.
    static let eventLimit = QueryParameter("limit", .integer(1...500), absent: 100)
    /// The state of the device keys that are wanted.
    static let state = QueryParameter("state", .word(["pending"]), absent: "pending")
    /// The seconds to wait for an element.
    static let wait = QueryParameter("wait", .integer(0...20), absent: 0)
    /// The type of the events that are wanted.
    static let eventType = QueryParameter("type", text)
    /// The employee whom the events are about.
    static let employee = QueryParameter("employee", text)
    /// The permanent id of the employee who is wanted.
    static let employeeId = QueryParameter("employeeId", .string(format: "uuid"))
    /// The address of the person who is wanted, in any spelling.
    static let email = QueryParameter("email", text)
    /// The moment up to which events are wanted.
    static let asOf = QueryParameter("as_of", .string(format: "date-time"))
    static let locale = QueryParameter("locale", text)
    /// The token of an M-Pin registration.
    static let regOTT = QueryParameter("regOTT", text)
    /// When a mailed link expires.
    static let expires = QueryParameter("expires", text)
    /// The code of a mailed link.
    static let key = QueryParameter("key", text)
    /// A push identifier, which has no effect.
    static let pmiToken = QueryParameter("pmiToken", text)
}

extension [QueryParameter] {
    /// The parameters of a mailed link. A link that lacks one is not valid, which a page says.
    static let link: Self = [.expires, .key]
}
