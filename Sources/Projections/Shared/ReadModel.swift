import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// A read model of one ledger: rows in memory, and how an event changes them.
///
/// The same ``apply(_:)`` serves three callers. The projector loads only the rows that a batch of events can touch, and
/// so does the rebuild. The replay starts without rows and keeps all of them.
protocol ReadModel: Sendable {
    static var name: ProjectionName { get }
    /// The revision, raised when ``apply(_:)`` or a row changes its meaning. Rows built by another revision are not
    /// continued.
    static var revision: Int32 { get }
    /// The tables of the projection, for comparing and dropping.
    static var tables: [any ViewRow.Type] { get }

    /// A model without rows.
    init()

    /// The types of events that can change rows. Others only move the position, and are not even read.
    static var types: [any EventPayload.Type] { get }
    /// Whether an event can change rows.
    static func concerns(_ event: ProjectedEvent) -> Bool
    /// Returns the queries for the rows that events can touch: one for each of ``tables``.
    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL]
    /// Loads the results of these queries.
    mutating func load(_ results: [[PostgresRow]]) throws
    /// Applies an event. It depends only on the event and the rows, and changes nothing if it throws.
    mutating func apply(_ event: ProjectedEvent) throws
    /// The statements that store the changes.
    func changes(_ scope: ViewScope) -> [SQL]
    /// The statements that compare all rows with the stored ones, for a model that holds all rows of the ledger.
    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)]
}

extension ReadModel {
    static func concerns(_ event: ProjectedEvent) -> Bool { types.contains { $0 == type(of: event.payload) } }
}

/// The read models of all projections.
enum ReadModels {
    static let all: [any ReadModel.Type] = [
        EmployeeKeysModel.self, EmployeesModel.self, FirstSecurityAdminsModel.self, MPinIdentitiesModel.self,
        PendingAuthorizationsModel.self, TenantsModel.self,
    ]

    static func named(_ name: ProjectionName) -> (any ReadModel.Type)? { all.first { $0.name == name } }

    /// Whether a read model must apply events of this type. Unknown types must be applied.
    static func takes(_ model: any ReadModel.Type, _ type: String) -> Bool {
        model.types.contains { $0.type == type } || !EventCatalogue.all.contains { $0.type == type }
    }

    /// The known types that no projection consumes.
    private static let ignored = Set(typesWithoutEffect(on: ProjectionName.all))

    /// Whether an event of this type may change a projection. One of an unknown type may.
    static func concern(_ type: String) -> Bool { !ignored.contains(type) }

    /// Returns the known types that none of the projections consumes. Unknown types are not among them, so that an
    /// unknown event stops a projection.
    static func typesWithoutEffect(on views: some Sequence<ProjectionName>) -> [String] {
        let models = views.compactMap(named)
        return EventCatalogue.all.filter { type in !models.contains { $0.types.contains { $0 == type } } }.map {
            $0.type
        }
    }
}

extension Sequence<ProjectedEvent> {
    /// The employees that the events concern.
    var employees: [UUID] { Array(Set(compactMap(\.employee))) }
}

/// The name of a projection, as it is used in the database and on the command line.
package struct ProjectionName: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name, such as `employees`.
    package let rawValue: String

    /// A name that need not exist; ``init(known:)`` checks that.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The name of an existing projection. Returns `nil` for any other.
    package init?(known name: String) {
        guard let known = Self.all.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = known
    }

    package var description: String { rawValue }

    package static let tenants = ProjectionName(rawValue: "tenants")
    package static let employees = ProjectionName(rawValue: "employees")
    package static let employeeKeys = ProjectionName(rawValue: "employee_keys")
    /// Founders and security admins, with proofs.
    package static let firstSecurityAdmins = ProjectionName(rawValue: "first_security_admins")
    /// M-Pin identities.
    package static let mpinIdentities = ProjectionName(rawValue: "mpin_identities")
    /// Pending device keys.
    package static let pendingAuthorizations = ProjectionName(rawValue: "pending_authorizations")

    /// All projections, in the order of their names.
    package static let all: [ProjectionName] = [
        .employeeKeys, .employees, .firstSecurityAdmins, .mpinIdentities, .pendingAuthorizations, .tenants,
    ]

    /// The order in which rows of several projections are locked.
    package static func < (left: ProjectionName, right: ProjectionName) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

/// An event for projections, decoded once for all of them. Personal texts stay encrypted.
struct ProjectedEvent: Sendable {
    let recorded: RecordedEvent
    let payload: any EventPayload

    /// Decodes an event. An unknown type is an error.
    init(_ recorded: RecordedEvent) throws {
        self.recorded = recorded
        payload = try EventCodec.payload(of: recorded)
    }

    var id: UUID { recorded.id }
    var position: Int64 { recorded.position }
    var time: Timestamp { recorded.time }

    /// Returns a personal member of the data, still encrypted.
    func sealedText(_ name: String) throws -> SealedText {
        let pointer = "/data/\(name)"
        guard let value = recorded.data[name] else {
            throw JSONError(code: .missingMember, pointer: pointer, reason: "a member is missing")
        }
        return SealedText(event: id, pointer: pointer, sealed: try SealedPersonalData(value))
    }

    /// The employee that the event concerns, if it concerns one.
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
        case let event as EmployeeEmailChanged: event.employeeID.uuid
        case let event as EmployeeErased: event.employeeID.uuid
        case let event as EmployeeIdReleased: event.employeeID.uuid
        case let event as EmployeeSessionsEnded: event.employeeID.uuid
        case let event as ReturnRequested: event.employeeID.uuid
        case let event as ReturnOpened: event.employeeID.uuid
        case let event as ReturnCompleted: event.employeeID.uuid
        case let event as ReturnCancelled: event.employeeID.uuid
        case let event as AdminAppointed: event.employeeID.uuid
        case let event as AdminDismissed: event.employeeID.uuid
        case let event as SecurityAdminSucceeded: event.employeeID.uuid
        case let event as MPinLinked: event.employeeID.uuid
        default: nil
        }
    }
}

/// The reason why a projection could not be read, updated or rebuilt. `description` is safe to show to anyone.
package struct ProjectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable identifier of a failure. More may be added.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `view.unreadable`.
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package var description: String { rawValue }

        /// A row does not hold what this program writes, so the projection must be rebuilt.
        package static let unreadable = Code(rawValue: "view.unreadable")
        /// The database has no generation of this projection, because it is not migrated to this version.
        package static let unknownView = Code(rawValue: "view.unknown")
        /// Another program cut over or dropped the generation that was being built.
        package static let superseded = Code(rawValue: "view.superseded")
        /// A later version of the program has built the projection, so this one neither updates nor rebuilds it.
        package static let outlived = Code(rawValue: "view.outlived")
        /// The new generation stops at an event that the live one has applied, so it cannot replace it.
        package static let incomplete = Code(rawValue: "view.incomplete")
    }

    package let code: Code
    /// The reason in one clause, without data.
    package let reason: String

    /// An error with its reason; `reason` must not hold data.
    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(code): \(reason)" }

    static func unreadable(_ column: Int) -> ProjectionError {
        ProjectionError(.unreadable, "column \(column) of a projection's row does not have this program's form")
    }
}
