public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The security admin and the event that proves it.
public struct SecurityAdminResponse: Sendable, Equatable, JSONConvertible {
    /// The employee.
    public var employee: EmployeeSummaryResponse
    /// The id of the proving event.
    public var eventId: UUID
    /// Its position in the company's ledger.
    public var position: Int64
    /// Since when.
    public var since: Timestamp

    /// Describes one.
    public init(
        employee: EmployeeSummaryResponse, eventId: UUID, position: Int64, since: Timestamp
    ) {
        self.employee = employee
        self.eventId = eventId
        self.position = position
        self.since = since
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        eventId = try reader.uuid("eventId")
        position = try reader.integer("position")
        since = try reader.timestamp("since")
    }

    /// The response.
    public var json: JSONValue {
        [
            "employee": employee.json, "eventId": .uuid(eventId), "position": .integer(position),
            "since": .timestamp(since),
        ]
    }
}
