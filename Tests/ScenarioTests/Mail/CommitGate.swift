import Foundation
import Postgres
import Testing
import TestSupport

/// A transaction that is stopped at its commit: one that has written a certain row.
struct CommitPoint: Sendable, CustomStringConvertible {
    /// What is written, such as `INSERT ON tenure.mpin_pass`.
    let writing: String
    /// The rows that count, in SQL.
    let condition: String

    var description: String { "\(writing) \(condition)" }

    /// The append of an event.
    static func event(_ type: String) -> CommitPoint {
        CommitPoint(writing: "INSERT ON tenure.event", condition: "NEW.type = '\(type)'")
    }

    /// The charge of a mail to its address.
    static let charge = CommitPoint(writing: "INSERT OR UPDATE ON tenure.budget", condition: "true")
    /// The lease of a mail.
    static let mailTaken = CommitPoint(
        writing: "UPDATE ON tenure.mail_outbox", condition: "NEW.lease_until IS NOT NULL")
    /// The server key of a tenant, which a D-TA gave.
    static let serverKey = CommitPoint(writing: "INSERT ON tenure.mpin_server_key", condition: "true")
    /// The challenge of pass 1.
    static let challenge = CommitPoint(writing: "INSERT ON tenure.mpin_pass", condition: "true")
    /// A verdict of pass 2.
    static let verdict = CommitPoint(
        writing: "UPDATE ON tenure.mpin_pass", condition: "NEW.token IS NOT NULL AND OLD.token IS NULL")
    /// The redemption of a verdict.
    static let redemption = CommitPoint(
        writing: "UPDATE ON tenure.mpin_pass", condition: "NEW.redeemed AND NOT OLD.redeemed")
}

/// What happens to a transaction that waits at its commit.
enum CommitFault: CaseIterable, Sendable {
    /// The connection is cut and the transaction is undone. The service goes on.
    case cutBefore
    /// The transaction is committed and the service does not hear of it. The service goes on.
    case cutAfter
    /// The service never reaches the database again, and the transaction is undone.
    case deathBefore
    /// The service never reaches the database again, and the transaction is committed.
    case deathAfter

    var isDeath: Bool { self == .deathBefore || self == .deathAfter }
    var isCommitted: Bool { self == .cutAfter || self == .deathAfter }
}

/// Holds transactions at their commit, by a constraint trigger that waits for a lock of the test's.
///
/// The server has the COMMIT by then. So whether the lock is released or the session is ended decides what happened. The
/// gate opens at the latest when this value is gone.
struct CommitGate: ~Copyable {
    private static let key = 4711
    private let world: TenureWorld
    private var holder: PostgresConnection

    private init(_ world: TenureWorld, _ holder: consuming PostgresConnection) {
        self.world = world
        self.holder = holder
    }

    /// Closes the gate at a point.
    static func closed(_ world: TenureWorld, at point: CommitPoint) async throws -> CommitGate {
        var holder = try await world.database.connect(as: .superuser)
        // One table at a time: a script that locked two could deadlock with an append.
        try await holder.executeScript("DROP FUNCTION IF EXISTS public.wait_at_commit CASCADE")
        try await holder.executeScript(
            """
            CREATE FUNCTION public.wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_catalog.pg_advisory_xact_lock(\(key));
                RETURN NULL;
            END $$
            """)
        try await holder.executeScript("BEGIN; DO $$ BEGIN PERFORM pg_advisory_xact_lock(\(key)); END $$")
        // By a session of its own, so that the trigger is there at once and not only when the lock is released.
        try await world.superuser { connection in
            try await connection.executeScript(
                """
                CREATE CONSTRAINT TRIGGER wait_at_commit AFTER \(point.writing) DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (\(point.condition)) EXECUTE FUNCTION public.wait_at_commit()
                """)
        }
        return CommitGate(world, holder)
    }

    /// Waits until a transaction arrives, lets the fault happen to it, and opens the gate for good.
    mutating func strike(_ fault: CommitFault, at instance: MortalInstance) async throws {
        let world = self.world
        var victim: Int32 = 0
        try await world.until {
            victim = Int32(try await world.number(Self.waiting))
            return victim != 0
        }
        if fault.isDeath { instance.kill() } else if fault.isCommitted { instance.cutConnections() }
        if !fault.isCommitted {
            let pid = victim
            try await world.superuser { connection in
                _ = try await connection.query("SELECT pg_terminate_backend(\(pid))")
            }
            try await Self.ended(victim, world)
        }
        try await holder.executeScript("ROLLBACK")
        if fault.isCommitted { try await Self.ended(victim, world) }
    }

    private static let waiting: SQL = """
        SELECT coalesce(min(pid), 0)::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND classid = 0 AND objid = 4711 AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    /// Waits until a session is gone, and its transaction with it.
    private static func ended(_ session: Int32, _ world: TenureWorld) async throws {
        try await world.until {
            try await world.number("SELECT count(*) FROM pg_stat_activity WHERE pid = \(session)") == 0
        }
    }
}
