import Foundation
import Testing
@testable import LocalDevelopment

/// Whether a cluster can be made on this machine.
enum ServerPrograms {
    static let exist =
        FileManager.default.fileExists(atPath: "/usr/lib/postgresql")
        || FileManager.default.isExecutableFile(atPath: "/usr/bin/initdb")
}

/// These start servers of their own; they run wherever the server programs are, as root or not.
@Suite(.enabled(if: ServerPrograms.exist, "no PostgreSQL server programs: apt-get install postgresql"))
struct PrivateClusterTests {
    @Test func `a cluster is created, adopted, restarted and stopped`() async throws {
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

    @Test func `the service's roles connect without a password, through the socket only`() async throws {
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

    @Test func `leftovers of a killed first start do no harm`() async throws {
        try await Self.withCluster { cluster in
            try cluster.prepareDirectories()
            let unfinished = cluster.layout.unfinished
            try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: false)
            try Data("half".utf8).write(to: URL(fileURLWithPath: unfinished + "/PG_VERSION"))
            #expect(try await cluster.start() == .created)
            #expect(FileManager.default.fileExists(atPath: unfinished) == false)
        }
    }

    @Test func `a server without its socket is restarted`() async throws {
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

@Suite struct ClusterLayoutTests {
    let anna = ClusterOwner(name: "anna", uid: 1_000, gid: 1_000, isOther: false)
    let lent = ClusterOwner(name: "postgres", uid: 110, gid: 110, isOther: true)

    @Test func `an ordinary user's cluster lies in the state directory`() {
        let layout = ClusterLayout(stateDirectory: "/home/anna/tenure/.tenure", owner: anna)
        #expect(layout.data == "/home/anna/tenure/.tenure/cluster/data")
        #expect(layout.socket == "/home/anna/tenure/.tenure/cluster/socket/.s.PGSQL.5432")
        #expect(
            layout.url(role: "tenure_app")
                == "postgresql://tenure_app@/tenure?host=/home/anna/tenure/.tenure/cluster/socket&port=5432")
    }

    @Test func `root's cluster lies where the other user can reach it`() {
        let layout = ClusterLayout(stateDirectory: "/root/tenure/.tenure", owner: lent)
        #expect(layout.base.hasPrefix("/var/lib/tenure-dev/"))
        #expect(layout.base.count == "/var/lib/tenure-dev/".count + 16)
        #expect(ClusterLayout(stateDirectory: "/root/other/.tenure", owner: lent).base != layout.base)
    }

    @Test(arguments: [
        "/home/" + String(repeating: "long/", count: 30) + ".tenure", "/home/anna/my projects/.tenure",
        "/home/anna/a,b/.tenure", "/home/zoë/.tenure", "/home/o'neill/.tenure", "/home/a%20b/.tenure",
    ])
    func `the socket's path is short and needs no quoting, whatever the checkout is called`(path: String) {
        let layout = ClusterLayout(stateDirectory: path, owner: anna)
        #expect(layout.base == path + "/cluster")
        #expect(layout.socket.hasPrefix("/tmp/tenure-"))
        #expect(layout.socket.utf8.count <= 107)
        #expect(ClusterLayout.isSafeSocketPath(layout.socket))
    }

    @Test func `a path of 107 bytes fits and one of 108 does not`() {
        #expect(ClusterLayout.isSafeSocketPath("/" + String(repeating: "a", count: 106)))
        #expect(!ClusterLayout.isSafeSocketPath("/" + String(repeating: "a", count: 107)))
    }

    @Test func `the newest version is taken, and the one that made a cluster for that cluster`() throws {
        let found = [15, 17, 16, 14].map { PostgresInstallation(directory: "/\($0)", major: $0) }
        #expect(try PostgresInstallation.choose(from: found, major: nil).major == 17)
        #expect(try PostgresInstallation.choose(from: found, major: 15).directory == "/15")
    }

    @Test func `a missing or old version is answered with the package to install`() throws {
        let old = [PostgresInstallation(directory: "/13", major: 13)]
        for (found, major, package) in [([], nil, "postgresql"), (old, nil, "postgresql"), (old, 16, "postgresql-16")] {
            let failure = #expect(throws: DevelopmentFailure.self) {
                try PostgresInstallation.choose(from: found, major: major)
            }
            #expect(failure?.remedy?.contains("apt-get install \(package)") == true)
            #expect(failure?.kind == .unreachable)
        }
    }

    @Test(arguments: [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15), ("postgres (PostgreSQL) 18beta1\n", 18),
        ("nonsense", nil),
    ])
    func `the version is read from what the server prints`(output: String, major: Int?) {
        #expect(PostgresInstallation.major(in: output) == major)
    }

    @Test func `a directory of another user is not used`() throws {
        let directory = try TemporaryDirectory()
        let me = (uid: UInt32(getuid()), gid: UInt32(getgid()))
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: "/tmp")
        #expect(throws: DevelopmentFailure.self) { try PrivateDirectory.ensure(directory.path + "/link", owner: me) }
        try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
        #expect(throws: DevelopmentFailure.self) { try PrivateDirectory.ensure(directory.path + "/file", owner: me) }
        #expect(throws: DevelopmentFailure.self) {
            try PrivateDirectory.ensure(directory.path, owner: (uid: me.uid &+ 1, gid: me.gid))
        }
        try PrivateDirectory.ensure(directory.path + "/new", owner: me)
        #expect(SecretFile.mode(of: directory.path + "/new") == 0o700)
    }

    @Test func `a port in use is reported with another one to take`() throws {
        let listener = try Listener()
        let failure = #expect(throws: DevelopmentFailure.self) { try LocalPort.requireFree(listener.port) }
        #expect(failure?.message.contains("\(listener.port)") == true)
        #expect(failure?.remedy?.contains("PORT=") == true)
        #expect(throws: DevelopmentFailure.self) { try LocalPort.requireFree(0) }
        #expect(throws: DevelopmentFailure.self) { try LocalPort.requireFree(65_536) }
    }
}

/// Listens on a port of the loopback address that the system chose.
final class Listener: Sendable {
    let port: Int
    private let descriptor: Int32

    struct Failed: Error {}

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw Failed() }
    }

    deinit { close(descriptor) }
}
