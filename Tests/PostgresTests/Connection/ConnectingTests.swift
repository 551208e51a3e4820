import Foundation
import Glibc
import Testing
@testable import Postgres

struct PostgresConfigurationTests {
    private func value(_ keyword: String, _ configuration: PostgresConfiguration) throws -> String? {
        try configuration.connectParameters().first { $0.keyword == keyword }?.value
    }

    @Test(arguments: [
        "postgresql://me:secret@db.example:5433/app?sslmode=require",
        "host=db.example port=5433 user=me password=secret dbname=app sslmode=require",
    ])
    func `a URL and a conninfo string give the same configuration`(_ text: String) throws {
        let configuration = try PostgresConfiguration(url: text)
        #expect(try value("host", configuration) == "db.example")
        #expect(try value("port", configuration) == "5433")
        #expect(configuration.user == "me")
        #expect(configuration.database == "app")
        #expect(try value("sslmode", configuration) == "require")
        #expect(try value("client_encoding", configuration) == "UTF8")
    }

    @Test(arguments: [
        ("host=db.example", "verify-full"), ("host=localhost", "prefer"), ("host=/tmp", "prefer"), ("", "prefer"),
        ("host=127.0.0.1,db.example", "verify-full"), ("host=db.example sslmode=disable", "disable"),
        ("hostaddr=10.0.0.1", "verify-full"),
    ])
    func `a remote host needs a verified certificate`(_ text: String, _ mode: String) throws {
        #expect(try value("sslmode", try PostgresConfiguration(url: text)) == mode)
    }

    @Test func `malformed text is refused without being quoted`() throws {
        for text in ["secret", "host=a\0b", "nonsense=secret"] {
            let error = try #require(throws: PostgresError.self) { try PostgresConfiguration(url: text) }
            #expect(error.code == .usage)
            #expect(!String(reflecting: error).contains("secret"))
        }
    }

    @Test func `no printing shows the password`() throws {
        let configuration = try PostgresConfiguration(url: "postgresql://me:secret@host/app")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("secret"))
        }
        #expect("\(configuration)".contains("dbname=app"))
    }

    @Test func `another user's configuration does not contain the first one's password`() throws {
        let configuration = try PostgresConfiguration(url: "postgresql://me:secret@host/app").with(user: "you")
        #expect(try value("password", configuration) == nil)
        #expect(try value("password", configuration.with(password: "mine")) == "mine")
        #expect(try value("dbname", configuration.with(database: "other")) == "other")
    }

    @Test func `settings are escaped, and their names checked`() throws {
        var configuration = try PostgresConfiguration(url: "options='-c geqo=off'")
        configuration.sessionSettings = ["a.b": #"x y\z"#]
        configuration.statementTimeout = .microseconds(1)
        configuration.lockTimeout = nil
        let options = try #require(try value("options", configuration))
        #expect(options.hasPrefix("-c geqo=off "))
        #expect(options.contains(#"-c a.b=x\ y\\z"#))
        #expect(options.contains("-c statement_timeout=1 "))
        #expect(options.contains("-c lock_timeout=0 "))
        for name in ["", "a b", "a=b", "a'b"] {
            configuration.sessionSettings = [name: "x"]
            #expect(throws: PostgresError.self) { try configuration.connectParameters() }
        }
        configuration.sessionSettings = ["a": "\0"]
        #expect(throws: PostgresError.self) { try configuration.connectParameters() }
    }
}

/// A server waits a minute for what a client has to say, and a process whose threads are busy takes its time.
@Suite struct FirstMessageTests {
    /// A Unix socket that listens in a directory of its own.
    final class Listener {
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

    @Test func `the first message is sent before any caller waits`() async throws {
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

    @Test func `a missing server is reported on connecting`() async throws {
        let configuration = try PostgresConfiguration(
            url: "postgresql://somebody@/something?host=/tmp/tenure-nowhere&port=5432")
        let error = try await databaseError {
            _ = try await PostgresConnection.connect(configuration, logger: .quiet)
        }
        #expect(error.code == .connection && error.isConnectionLost)
        let cause = try #require(error.cause)
        #expect(cause.contains("/tmp/tenure-nowhere") && !cause.contains("\n"), "\(cause)")
        #expect(!error.description.contains("nowhere"), "the description stays without messages")
    }

    @Test func `a cause is about the server, never about data`() {
        var error = PostgresError(.server, "refused", serverMessage: "could not extend file; Key (name)=(Ann)")
        error.primaryMessage = "could not extend file:\u{7}\nNo space left on device"
        #expect(error.cause == nil)
        for (state, isTold) in [
            ("53100", true), ("57P01", true), ("25006", true), ("28P01", true), ("08006", true), ("58030", true),
            ("23505", false), ("22P02", false), ("42601", false), ("P0001", false), ("XX000", false),
        ] {
            error.sqlState = SQLState(rawValue: state)
            #expect(error.cause == (isTold ? "could not extend file:; No space left on device" : nil), "\(state)")
        }
        error.primaryMessage = nil
        error.sqlState = .diskFull
        #expect(error.cause == nil)
        let failures = ["one\ntwo", "three"].map { PostgresError(.connection, "lost", serverMessage: $0) }
        #expect(PostgresError(joining: failures).cause == "one; two; three")
        let long = PostgresError(.connection, "lost", serverMessage: String(repeating: "a", count: 5_000))
        #expect(long.cause?.count == 500)
    }
}
