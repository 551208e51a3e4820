import FoundationEssentials
import Identity
import Ledger
import Postgres

/// A view of one ledger: rows in memory, and how an event changes them.
///
/// The same ``apply(_:)`` serves the projector, which loads the few rows that a batch of events can touch, the rebuild,
/// and the replay, which starts with no rows at all and keeps all of them.
protocol ReadModel: Sendable {
    /// The name of the view.
    static var name: ProjectionName { get }
    /// Raised when ``apply(_:)`` or a row changes its meaning: what another revision built is not taken up.
    static var revision: Int32 { get }
    /// The tables of the view, for comparing and dropping.
    static var tables: [any ViewRow.Type] { get }

    /// Without rows.
    init()

    /// The types of events that can change rows; others only move the progress, and are not even read.
    static var types: [any EventPayload.Type] { get }
    /// Whether an event of these types can change rows.
    static func concerns(_ event: ProjectedEvent) -> Bool
    /// The rows that events can touch: one statement for each of ``tables``.
    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL]
    /// Takes the results of these statements.
    mutating func load(_ results: [[PostgresRow]]) throws
    /// Takes an event; depends on nothing but the event and the rows. Changes nothing when it throws.
    mutating func apply(_ event: ProjectedEvent) throws
    /// The statements that store what changed.
    func changes(_ scope: ViewScope) -> [SQL]
    /// The statements that compare all rows with those stored, for a model that holds all rows of the ledger.
    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)]
}

extension ReadModel {
    static func concerns(_ event: ProjectedEvent) -> Bool { types.contains { $0 == type(of: event.payload) } }
}

/// All views.
enum ReadModels {
    static let all: [any ReadModel.Type] = [
        EmployeeKeysModel.self, EmployeesModel.self, FirstSecurityAdminsModel.self, PendingAuthorizationsModel.self,
        TenantsModel.self,
    ]

    static func named(_ name: ProjectionName) -> (any ReadModel.Type)? { all.first { $0.name == name } }

    /// Whether an event whose row names this type is one that a view has to take; one of a type that nobody knows is.
    static func takes(_ model: any ReadModel.Type, _ type: String) -> Bool {
        model.types.contains { $0.type == type } || !EventCatalogue.all.contains { $0.type == type }
    }

    /// The types of the catalogue that no view takes.
    private static let ignored = Set(typesWithoutEffect(on: ProjectionName.all))

    /// Whether an event of this type may change a view; one of a type that nobody knows may.
    static func concern(_ type: String) -> Bool { !ignored.contains(type) }

    /// The types of the catalogue that none of the views takes. What the catalogue does not have is not among them, so
    /// that an event that nobody knows stops a view.
    static func typesWithoutEffect(on views: some Sequence<ProjectionName>) -> [String] {
        let models = views.compactMap(named)
        return EventCatalogue.all.filter { type in !models.contains { $0.types.contains { $0 == type } } }.map {
            $0.type
        }
    }
}

extension Sequence<ProjectedEvent> {
    /// The employees that the events are about.
    var employees: [UUID] { Array(Set(compactMap(\.employee))) }
}
