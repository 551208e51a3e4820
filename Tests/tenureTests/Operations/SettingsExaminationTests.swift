import Foundation
import Keys
import Postgres
import TestSupport
import Testing

@testable import LocalDevelopment
@testable import tenure

/// What `tenure doctor` says about the settings of a service.
@Suite struct SettingsExaminationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func settings(_ more: [String: String] = [:]) async throws -> Settings {
        let masters = directory.path + "/master.json"
        if !FileManager.default.fileExists(atPath: masters) { _ = try MasterKeyFile(path: masters).create() }
        let needed = [
            "TENURE_DATABASE_URL": "postgresql://tenure_app@/tenure?host=/nowhere",
            "TENURE_READER_DATABASE_URL": "postgresql://tenure_reader@/tenure?host=/nowhere",
            "TENURE_MASTER_KEY_FILE": masters,
        ]
        return try await Settings(flags: [:], environment: needed.merging(more) { _, new in new }, file: nil)
    }

    private func findings(_ more: [String: String] = [:]) async throws -> [Finding] {
        let state = StateDirectory(directory.path + "/none")
        return await Examination(state: state, settings: try await settings(more)).findings()
    }

    @Test func `a machine with settings is not asked for a development service`() async throws {
        let subjects = try await findings().map(\.subject)
        #expect(subjects.starts(with: ["settings", "master keys", "address"]))
        #expect(!subjects.contains("private cluster") && !subjects.contains("dev.env"))
        let none = try await Settings(flags: [:], environment: [:], file: nil)
        let bare = await Examination(state: StateDirectory(directory.path + "/none"), settings: none).findings()
        #expect(bare.contains { $0.subject == "private cluster" } && !bare.contains { $0.subject == "settings" })
    }

    @Test func `settings that would stop the start are bad, with the sentence of the start`() async throws {
        let good = try await findings()
        #expect(good.first?.verdict == .good)
        let bad = try await findings(["TENURE_PUBLIC_URL": "https://id.example/"])
        #expect(bad.first?.verdict == .bad)
        #expect(bad.first?.remedy == "Write https://id.example")
        for name in ["TENURE_LOG_FORMAT", "TENURE_LOG_LEVEL"] {
            let first = try await findings([name: "loud"]).first
            #expect(first?.verdict == .bad && first?.detail.contains(name) == true, "\(name)")
        }
        let reader = try #require(good.first { $0.subject == "TENURE_READER_DATABASE_URL" })
        #expect(reader.verdict == .bad && reader.detail.contains("cannot be reached"))
    }

    @Test func `a check that the database refuses names the cure of the state that the schema is in`() {
        let refused = SQLState(rawValue: "42501")
        #expect(Examination.remedy(refused, isMigrated: false) == "run: tenure migrate")
        #expect(Examination.remedy(refused, isMigrated: true).hasPrefix("start the service"))
        #expect(Examination.remedy(.undefinedTable, isMigrated: false) == "run: tenure migrate")
        #expect(Examination.remedy(.queryCanceled, isMigrated: false).hasPrefix("see the log of the database"))
        #expect(Examination.remedy(SQLState(rawValue: "08006"), isMigrated: true) == "start the node that is away")
    }

    @Test func `master keys of another user are a note that names the user`() async throws {
        let own = Examination.masterKeys(try await settings())
        #expect(own.verdict == .good && own.detail.contains(directory.path + "/master.json"))
        let other = Examination.masterKeys(try await settings(), user: geteuid() + 1)
        #expect(other.verdict == .note && other.remedy?.contains("runuser -u ") == true)
        chmod(directory.path + "/master.json", 0o644)
        #expect(Examination.masterKeys(try await settings()).verdict == .bad)
    }

    @Test func `a certificate is good until two weeks before its end`() async throws {
        let chain = directory.path + "/chain.pem", key = directory.path + "/key.pem"
        try Data(CertificateSamples.certificate.utf8).write(to: URL(fileURLWithPath: chain))
        try Data(CertificateSamples.key.utf8).write(to: URL(fileURLWithPath: key))
        let settings = try await settings(["TENURE_TLS_CERTIFICATE_FILE": chain, "TENURE_TLS_KEY_FILE": key])
        #expect(Examination.certificate(settings).map(\.verdict) == [.good])
        let century = Date().addingTimeInterval(100 * 365 * 86_400)
        #expect(Examination.certificate(settings, now: century).map(\.verdict) == [.bad])
        try Data(CertificateSamples.keyOfAnother.utf8).write(to: URL(fileURLWithPath: key))
        #expect(Examination.certificate(settings).map(\.verdict) == [.bad])
    }

    @Test func `a port in use is a note, because the service may be running`() async throws {
        let port = try #require(TakenPort())
        let finding = Examination.address(try await settings(["TENURE_LISTEN_PORT": "\(port.number)"]))
        #expect(finding?.verdict == .note && finding?.detail.contains("\(port.number)") == true)
        let foreign = Examination.address(
            try await settings(["TENURE_LISTEN_HOST": "192.0.2.1", "TENURE_LISTEN_PORT": "\(port.number)"]))
        #expect(foreign?.verdict == .bad)
    }

    @Test(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
    func `a role that would switch row-level security off is bad`() async throws {
        try await TestDatabase.with { database in
            let urls = [
                "TENURE_DATABASE_URL": database.url(as: .application),
                "TENURE_READER_DATABASE_URL": database.url(as: .reader),
            ]
            let good = try await findings(urls)
            for name in urls.keys { #expect(good.first { $0.subject == name }?.verdict == .good, "\(good)") }
            #expect(good.first { $0.subject == "schema" }?.verdict == .good)
            let bad = try await findings(["TENURE_DATABASE_URL": database.url(as: .superuser)])
            let finding = try #require(bad.first { $0.subject == "TENURE_DATABASE_URL" })
            #expect(finding.verdict == .bad && finding.detail.contains("row-level security"))
        }
    }
}
