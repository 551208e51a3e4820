import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger

/// An event on its way into views, decoded once for all of them; personal texts are not opened.
struct ProjectedEvent: Sendable {
    /// The event as recorded.
    let recorded: RecordedEvent
    /// What it says.
    let payload: any EventPayload

    /// Decodes an event; an unknown type is an error.
    init(_ recorded: RecordedEvent) throws {
        self.recorded = recorded
        payload = try EventCodec.payload(of: recorded)
    }

    var id: UUID { recorded.id }
    var position: Int64 { recorded.position }
    var time: Timestamp { recorded.time }

    /// A personal member of the data as it was sealed.
    func sealedText(_ name: String) throws -> SealedText {
        let pointer = "/data/\(name)"
        guard let value = recorded.data[name] else {
            throw JSONError(code: .missingMember, pointer: pointer, reason: "a member is missing")
        }
        return SealedText(event: id, pointer: pointer, sealed: try SealedPersonalData(value))
    }

    /// The employee the event is about, when it is about one.
    var employee: UUID? {
        switch payload {
        case let event as EmployeeRegistered: event.employeeID.uuid
        case let event as EmployeeKeyPresented: event.employeeID.uuid
        case let event as EmployeeKeyAuthorized: event.employeeID.uuid
        case let event as EmployeeKeyRefused: event.employeeID.uuid
        case let event as EmployeeKeyRevoked: event.employeeID.uuid
        case let event as EmployeeApproved: event.employeeID.uuid
        case let event as EmployeeCancelled: event.employeeID.uuid
        case let event as EmployeeReinstated: event.employeeID.uuid
        case let event as EmailReclaimed: event.employeeID.uuid
        case let event as EmployeeErased: event.employeeID.uuid
        case let event as AdminAppointed: event.employeeID.uuid
        case let event as AdminDismissed: event.employeeID.uuid
        case let event as SecurityAdminSucceeded: event.employeeID.uuid
        default: nil
        }
    }
}
