import Canonical
@testable import IdentityService
import LocalDevelopment
import Testing
import Transfers

@testable import tenure

@Suite struct MailExaminationTests {
    private func settings(_ more: [String: String]) async throws -> Settings {
        let base = [
            "TENURE_SMTP_URL": "smtp://127.0.0.1:1", "TENURE_MAIL_FROM": "tenure@id.example",
            "TENURE_PUBLIC_URL": "https://id.example",
        ]
        return try await Settings(flags: [:], environment: base.merging(more) { _, new in new }, file: nil)
    }

    private func findings(_ more: [String: String] = [:]) async throws -> [Finding] {
        let settings = try await settings(more)
        return await Examination(state: .init("/nonexistent"), settings: settings).mailServer()
    }

    @Test func `a mail server that is not there is named, with the setting that names it`() async throws {
        let found = try await findings()
        #expect(found.map(\.verdict) == [.bad])
        #expect(found.first?.detail == "nobody accepts connections at 127.0.0.1:1")
        #expect(found.first?.remedy?.contains("TENURE_SMTP_URL") == true)
    }

    @Test func `a host that does not exist is told`() async throws {
        let found = try await findings(["TENURE_SMTP_URL": "smtp://no-such-host.invalid"])
        #expect(found.map(\.verdict) == [.bad])
        // A machine without a name server waits for one.
        let details = ["there is no host no-such-host.invalid", "no-such-host.invalid:587 does not answer"]
        #expect(found.allSatisfy { details.contains($0.detail) }, "\(found)")
    }

    @Test func `a service without a mail server is not asked about one`() async throws {
        #expect(try await findings(["TENURE_SMTP_URL": "", "TENURE_MAIL_FROM": ""]).isEmpty)
    }

    @Test func `each fault has a cause of its own and a cure`() throws {
        let server = try SMTPServer(host: "mail.example", port: 587, security: .startTLS)
        let faults: [SMTPFault] = [
            .hostUnknown, .unreachable, .silent, .noSTARTTLS, .certificate, .loginRefused(535), .refused(554),
            .other("libcurl 99: odd, last reply 0"),
        ]
        let found = faults.map { Examination.finding($0, of: server) }
        #expect(found.allSatisfy { $0.verdict == .bad && $0.remedy != nil })
        #expect(Set(found.map(\.detail)).count == faults.count)
        #expect(found[4].remedy?.contains("TENURE_SMTP_CA_FILE") == true)
        #expect(found[5].remedy?.contains("TENURE_SMTP_PASSWORD_FILE") == true)
        #expect(Examination.finding(nil, of: server).verdict == .good)
    }

    @Test func `mails that wait are counted, with the age of the oldest`() {
        let now = Timestamp.now()
        func finding(_ count: Int64, _ age: Int64?) -> Finding {
            let oldest = age.map { now.adding(.seconds(-$0)) }
            return Examination.finding(MailBacklog(count: count, oldest: oldest), at: now)
        }
        #expect(finding(0, nil).verdict == .good && finding(0, nil).detail == "none waits")
        #expect(finding(1, 30).verdict == .good && finding(1, 30).detail == "1 mail waits, the oldest since 30s")
        #expect(finding(3, 7_200).verdict == .note && finding(3, 7_200).detail == "3 mails wait, the oldest since 2h")
        #expect(finding(3, 7_200).remedy?.contains("tenure mail list") == true)
    }

    @Test(arguments: ["tenure@id.example ", "Tenure <tenure@id.example>", "<tenure@id.example>", "Zoë <t@id.example>"])
    func `mails may come from an address with a name`(_ sender: String) async throws {
        let mail = try MailConfiguration(try await settings(["TENURE_MAIL_FROM": sender]))
        #expect(mail?.settings.sender.hasSuffix("@id.example") == true)
    }

    @Test(arguments: ["Tenure", "t@id.example\r\nBcc: e@evil.example", "A\nB <t@id.example>"])
    func `a sender that is none is refused by the name of its setting alone`(_ sender: String) async throws {
        let settings = try await settings(["TENURE_MAIL_FROM": sender])
        let failure = #expect(throws: CommandFailure.self) { try MailConfiguration(settings) }
        #expect(failure?.message.contains("TENURE_MAIL_FROM") == true)
        #expect(failure?.message.contains("TENURE_PUBLIC_URL") == false)
    }
}
