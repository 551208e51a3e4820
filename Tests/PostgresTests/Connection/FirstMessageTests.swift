import Foundation
import Glibc
import Testing

@testable import Postgres

/// A server waits a minute for what a client has to say, and a process whose threads are busy takes its time.
@Suite struct FirstMessageTests {
    /// A Unix socket that listens in a directory of its own.
    private final class Listener {
        let directory: String
        let socket: Int32

        init() throws {
            directory = "/tmp/tenure-first-\(UInt32.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = Array("\(directory)/.s.PGSQL.5432".utf8)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size), listener = socket
            let bound = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
            }
            try #require(bound == 0 && listen(socket, 4) == 0)
        }

        deinit {
            close(socket)
            try? FileManager.default.removeItem(atPath: directory)
        }

        /// What the first client has said by now, without waiting for more.
        func heard() throws -> [UInt8] {
            let client = accept(socket, nil, nil)
            try #require(client >= 0)
            defer { close(client) }
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let count = unsafe recv(client, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return count > 0 ? Array(buffer[..<count]) : []
        }
    }

    @Test func `it is sent as the connection begins, before anybody waits`() async throws {
        let listener = try Listener()
        let configuration = try PostgresConfiguration(
            url: "postgresql://somebody@/something?host=\(listener.directory)&port=5432")
        let reactor = try #require(Reactor.shared)
        let begun = try await Session.begin(configuration, reactor, .now + .seconds(60), .quiet)
        // The length, then the version of the protocol: 3.0 (manual, section 55.7).
        let message = try listener.heard()
        #expect(message.count > 8 && Array(message.dropFirst(4).prefix(4)) == [0, 3, 0, 0])
        begun.session.close()
    }

    @Test func `a server that is not there is told when the connection is made`() async throws {
        let configuration = try PostgresConfiguration(
            url: "postgresql://somebody@/something?host=/tmp/tenure-nowhere&port=5432")
        let error = try await databaseError {
            _ = try await PostgresConnection.connect(configuration, logger: .quiet)
        }
        #expect(error.code == .connection && error.isConnectionLost)
    }
}
