import Foundation
import Testing

@testable import tenure

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
            let failure = #expect(throws: CommandFailure.self) {
                try PostgresInstallation.choose(from: found, major: major)
            }
            #expect(failure?.remedy?.contains("apt-get install \(package)") == true)
            #expect(failure?.exitCode == .unreachable)
        }
    }

    @Test(arguments: [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15), ("postgres (PostgreSQL) 18beta1\n", 18),
        ("nonsense", nil),
    ])
    func `the version is read from what the server prints`(output: String, major: Int?) {
        #expect(PostgresInstallation.major(in: output) == major)
    }

    @Test func `a directory that somebody else put there is not used`() throws {
        let directory = try TemporaryDirectory()
        let me = (uid: UInt32(getuid()), gid: UInt32(getgid()))
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: "/tmp")
        #expect(throws: CommandFailure.self) { try PrivateDirectory.ensure(directory.path + "/link", owner: me) }
        try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
        #expect(throws: CommandFailure.self) { try PrivateDirectory.ensure(directory.path + "/file", owner: me) }
        #expect(throws: CommandFailure.self) {
            try PrivateDirectory.ensure(directory.path, owner: (uid: me.uid &+ 1, gid: me.gid))
        }
        try PrivateDirectory.ensure(directory.path + "/new", owner: me)
        #expect(SecretFile.mode(of: directory.path + "/new") == 0o700)
    }

    @Test func `a port that is taken is named with another one to take`() throws {
        let listener = try Listener()
        let failure = #expect(throws: CommandFailure.self) { try LocalPort.requireFree(listener.port) }
        #expect(failure?.message.contains("\(listener.port)") == true)
        #expect(failure?.remedy?.contains("PORT=") == true)
        #expect(throws: CommandFailure.self) { try LocalPort.requireFree(0) }
        #expect(throws: CommandFailure.self) { try LocalPort.requireFree(65_536) }
    }
}
