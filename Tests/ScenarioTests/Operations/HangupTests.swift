import Foundation
import TestSupport
import Testing

/// SIGHUP at processes with and without a certificate.
@Suite(.onServer, .timeLimit(.minutes(25)))
struct `A hangup signal` {
    @Test func `leaves a service without a certificate alone`() async throws {
        try await withTenure { world in
            try await ServiceProcess.with(1, in: world) { processes in
                let process = try #require(processes.first)
                for _ in 0..<3 {
                    kill(process.identifier, SIGHUP)
                    let ready = try await process.client.send(HTTPRequest("GET", "/readyz"))
                    #expect(ready.status == 200)
                }
            }
        }
    }

    @Test func `makes a D-TA serve the renewed certificate`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        for name in ["one", "two"] {
            try files.openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)", "-keyout", files.path(name + ".key"), "-out", files.path(name + ".pem"))
        }
        try place("one", files)
        let directory = files.path("dta"), port = try TCPConnection.freePort()
        let created = await (try ChildProcess("tenure", ["dta", "init", "--directory", directory])).finish()
        #expect(created.status == 0)
        let process = try ChildProcess(
            "tenure",
            [
                "dta", "serve", "--directory", directory, "--port", String(port), "--certificate", files.path("chain"),
                "--certificate-key", files.path("key"),
            ])
        defer { process.kill() }
        #expect(try await isServed("one", port, process, files))
        try place("two", files)
        kill(process.identifier, SIGHUP)
        #expect(try await isServed("two", port, process, files))
        // A pair that does not match, and one that is gone, leave the process and its certificate as they are.
        try replace("key", with: "one.key", files)
        kill(process.identifier, SIGHUP)
        try FileManager.default.removeItem(atPath: files.path("chain"))
        kill(process.identifier, SIGHUP)
        #expect(try await isServed("two", port, process, files))
        #expect(process.isAlive)
    }

    private func place(_ name: String, _ files: TemporaryFiles) throws {
        try replace("chain", with: name + ".pem", files)
        try replace("key", with: name + ".key", files)
    }

    private func replace(_ file: String, with source: String, _ files: TemporaryFiles) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: files.path(source)))
        try data.write(to: URL(fileURLWithPath: files.path(file)), options: .atomic)
    }

    /// Whether new connections get this certificate, at once or while the process lives.
    private func isServed(
        _ name: String, _ port: UInt16, _ process: ChildProcess, _ files: TemporaryFiles
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while process.isAlive, ContinuousClock.now < deadline {
            let status = try files.status(
                "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", files.path(name + ".pem"),
                "-verify_return_error", "-brief", "-no_ign_eof")
            if status == 0 { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}
