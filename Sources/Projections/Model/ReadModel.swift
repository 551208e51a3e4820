import FoundationEssentials
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

    /// Whether an event can change rows at all; others only move the progress.
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

/// All views.
enum ReadModels {
    static let all: [any ReadModel.Type] = [
        EmployeeKeysModel.self, EmployeesModel.self, FirstSecurityAdminsModel.self, PendingAuthorizationsModel.self,
        TenantsModel.self,
    ]

    static func named(_ name: ProjectionName) -> (any ReadModel.Type)? { all.first { $0.name == name } }
}

extension Sequence<ProjectedEvent> {
    /// The employees that the events are about.
    var employees: [UUID] { Array(Set(compactMap(\.employee))) }
}
