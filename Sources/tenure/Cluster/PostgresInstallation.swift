import Foundation

/// The server programs of one PostgreSQL version. Debian keeps them off the `PATH`, one directory per version.
struct PostgresInstallation: Sendable, Equatable {
    /// The directory with `initdb`, `pg_ctl` and `postgres`.
    var directory: String
    /// The major version, for example 15.
    var major: Int

    /// The oldest version that works.
    static let oldest = 15

    /// The path of one of the programs.
    func program(_ name: String) -> String { directory + "/" + name }

    /// The newest installation, or the one of exactly this version: a cluster is bound to the version that made it.
    ///
    /// - Throws: ``CommandFailure`` that names the package to install.
    static func find(major: Int? = nil) async throws -> PostgresInstallation {
        var found: [PostgresInstallation] = []
        for directory in candidates() {
            if let version = try await version(in: directory) {
                found.append(PostgresInstallation(directory: directory, major: version))
            }
        }
        return try choose(from: found, major: major)
    }

    /// The choice among what was found.
    static func choose(from found: [PostgresInstallation], major: Int?) throws -> PostgresInstallation {
        if let major {
            if let match = found.first(where: { $0.major == major }) { return match }
            throw CommandFailure(
                .unreachable, "the development database was made by PostgreSQL \(major), which is not installed",
                remedy: "Run: apt-get install postgresql-\(major)   (or start afresh: remove the state directory)")
        }
        if let newest = found.max(by: { $0.major < $1.major }), newest.major >= oldest { return newest }
        let seen = found.map(\.major).max().map { "PostgreSQL \($0) is too old" } ?? "no PostgreSQL server was found"
        throw CommandFailure(
            .unreachable, "\(seen); version \(oldest) or later is needed",
            remedy: "Run: apt-get install postgresql")
    }

    private static func candidates() -> [String] {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return versions.map { "\(debian)/\($0)/bin" } + path.split(separator: ":").map(String.init)
    }

    private static func version(in directory: String) async throws -> Int? {
        let programs = ["initdb", "pg_ctl", "postgres", "psql"]
        guard programs.allSatisfy({ FileManager.default.isExecutableFile(atPath: directory + "/" + $0) }) else {
            return nil
        }
        let outcome = try await Program(directory + "/postgres", ["--version"])()
        return outcome.status == 0 ? major(in: outcome.output) : nil
    }

    /// The major version in `postgres (PostgreSQL) 15.18 (Debian …)`.
    static func major(in output: String) -> Int? {
        guard let words = output.split(separator: "PostgreSQL) ").dropFirst().first else { return nil }
        return Int(words.prefix(while: \.isNumber))
    }
}
