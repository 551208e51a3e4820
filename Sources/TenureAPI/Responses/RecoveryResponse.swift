public import Canonical

/// A recovery that waits, as admins see it.
public struct RecoveryResponse: Sendable, Equatable, JSONConvertible {
    /// The employee who asks.
    public var employee: EmployeeSummaryResponse
    /// The new key's fingerprint, lower-case hex: what the person reads out.
    public var fingerprint: String
    /// `waiting`, `opened` or `confirmed`.
    public var state: String
    /// When the device asked last, or when it was opened where none had asked.
    public var requestedAt: Timestamp
    /// When it ends by itself.
    public var expiresAt: Timestamp
    /// The employee id of whoever opened it, unless erased.
    public var openedBy: String?

    /// Describes one.
    public init(
        employee: EmployeeSummaryResponse, fingerprint: String, state: String, requestedAt: Timestamp,
        expiresAt: Timestamp, openedBy: String? = nil
    ) {
        self.employee = employee
        self.fingerprint = fingerprint
        self.state = state
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.openedBy = openedBy
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        fingerprint = try reader.string("fingerprint")
        state = try reader.string("state")
        requestedAt = try reader.timestamp("requestedAt")
        expiresAt = try reader.timestamp("expiresAt")
        openedBy = try reader.optionalString("openedBy")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "employee": employee.json, "fingerprint": .string(fingerprint), "state": .string(state),
            "requestedAt": .timestamp(requestedAt), "expiresAt": .timestamp(expiresAt),
            "openedBy": openedBy.map(JSONValue.string),
        ])
    }
}
