import Foundation
import Testing

@testable import tenure

/// Whether a cluster can be made on this machine.
enum ServerPrograms {
    static let exist =
        FileManager.default.fileExists(atPath: "/usr/lib/postgresql")
        || FileManager.default.isExecutableFile(atPath: "/usr/bin/initdb")
}

/// These start servers of their own; they run wherever the server programs are, as root or not.
@Suite(.enabled(if: ServerPrograms.exist, "no PostgreSQL server programs: apt-get install postgresql"))
struct PrivateClusterTests {
    @Test func `a cluster is created, adopted, started again and stopped`() async throws {
        try await Self.withCluster { cluster in
            #expect(try await cluster.start() == .created)
            #expect(try await cluster.isRunning())
            #expect(try await cluster.start() == .adopted)
            try await cluster.stop()
            #expect(try await cluster.isRunning() == false)
            try await cluster.stop()
            #expect(try await cluster.start() == .started)
        }
    }

    @Test func `the service's roles connect without a password, and to nothing but the socket`() async throws {
        try await Self.withCluster { cluster in
            _ = try await cluster.start()
            for role in ClusterSettings.roles {
                #expect(try await Self.ask(cluster, "SELECT current_user", as: role) == role)
            }
            #expect(try await Self.ask(cluster, "SHOW listen_addresses", as: "tenure_app") == "")
            #expect(try await Self.ask(cluster, "SHOW data_checksums", as: "tenure_app") == "on")
            #expect(try await Self.ask(cluster, "SHOW fsync", as: "tenure_app") == "on")
            #expect(
                try await Self.ask(
                    cluster, "SELECT bool_or(rolsuper OR rolbypassrls) FROM pg_roles WHERE rolname LIKE 'tenure%'",
                    as: "tenure_app") == "f")
            #expect(SecretFile.mode(of: cluster.layout.socketDirectory) == 0o700)
            #expect(SecretFile.mode(of: cluster.layout.data) == 0o700)
        }
    }

    @Test func `what a killed first start left behind does not matter`() async throws {
        try await Self.withCluster { cluster in
            try cluster.prepareDirectories()
            let unfinished = cluster.layout.unfinished
            try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: false)
            try Data("half".utf8).write(to: URL(fileURLWithPath: unfinished + "/PG_VERSION"))
            #expect(try await cluster.start() == .created)
            #expect(FileManager.default.fileExists(atPath: unfinished) == false)
        }
    }

    @Test func `a server whose socket is gone is started anew`() async throws {
        try await Self.withCluster { cluster in
            _ = try await cluster.start()
            try FileManager.default.removeItem(atPath: cluster.layout.socket)
            #expect(try await cluster.start() == .started)
            #expect(try await Self.ask(cluster, "SELECT 1", as: "tenure_app") == "1")
        }
    }

    private static func ask(_ cluster: PrivateCluster, _ query: String, as role: String) async throws -> String {
        let outcome = try await Program(
            cluster.installation.program("psql"), ["-d", cluster.layout.url(role: role), "-XAtc", query])()
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func withCluster(_ body: (PrivateCluster) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let cluster = try await PrivateCluster.find(stateDirectory: directory.path)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(cluster))
        } catch {
            result = .failure(error)
        }
        try await cluster.stop()
        // As root the cluster lies elsewhere.
        try FileManager.default.removeItem(atPath: cluster.layout.base)
        if cluster.layout.socketDirectory.hasPrefix("/tmp/tenure-") {
            try? FileManager.default.removeItem(atPath: cluster.layout.socketDirectory)
        }
        try result.get()
    }
}
