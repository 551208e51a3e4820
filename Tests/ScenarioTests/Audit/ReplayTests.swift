import Canonical
import Testing

/// What a company looked like, told by its events alone.
private struct Replay {
    var securityAdmin: String?
    var pending: Set<String> = []
    var authorized: Set<String> = []
    var cancelled: Set<String> = []
    var names: [String: String] = [:]

    init(_ events: [JSONValue]) {
        for event in events { apply(event["type"]?.text ?? "", event["data"] ?? .null) }
    }

    private mutating func apply(_ type: String, _ data: JSONValue) {
        let employee = data["employeeId"]?.text ?? ""
        let name = names[employee] ?? data["companyEmployeeId"]?.text ?? ""
        let fingerprint = data["key"]?.text ?? ""
        switch type {
        case "EmployeeRegistered":
            names[employee] = name
            securityAdmin = securityAdmin ?? name
        case "EmployeeKeyPresented": pending.insert(fingerprint)
        case "EmployeeKeyAuthorized":
            pending.remove(fingerprint)
            authorized.insert(fingerprint)
        case "EmployeeKeyRefused": pending.remove(fingerprint)
        case "EmployeeKeyRevoked": authorized.remove(fingerprint)
        case "EmployeeCancelled": cancelled.insert(name)
        case "EmployeeReinstated": cancelled.remove(name)
        default: break
        }
    }
}

@Suite(.onServer, .sharedWorld)
struct `Scenario 15: a replay` {
    @Test func `to an earlier moment shows who was security admin, who was pending and who was cancelled`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "replay.example"
        let founder = try await client.found(company)
        let waiting = Device()
        let patient = Person("patient", at: company)
        _ = try await client.register(patient, waiting)
        let leaver = try await client.join(Person("leaver", at: company))
        let cancelled = try await client.signed(by: founder, "POST", client.path(leaver.person, "/cancellation"))
        expectOutcome(cancelled, "done")

        let all = try await client.events(company, by: founder.session)
        let then = try #require(all.last?["time"]?.text)
        try await Task.sleep(for: .milliseconds(5))
        expectOutcome(try await client.authorize(waiting, of: patient), "done")
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(leaver.person, "/reinstatement")), "done")
        let newcomer = Device()
        _ = try await client.register(Person("newcomer", at: company), newcomer)

        let past = Replay(try await client.events(company, "as_of=\(then)", by: founder.session))
        #expect(past.securityAdmin == "founder")
        #expect(past.pending == [Base64URL.encode(waiting.point)])
        #expect(past.cancelled == ["leaver"])
        #expect(Set(past.names.values) == ["founder", "patient", "leaver"])

        let now = Replay(try await client.events(company, by: founder.session))
        #expect(now.pending == [Base64URL.encode(newcomer.point)])
        #expect(now.authorized.contains(Base64URL.encode(waiting.point)))
        #expect(now.cancelled.isEmpty)
    }

    @Test func `of the whole log equals the responses of the reads`() async throws {
        let client = try sharedWorld().client
        let company = "whole.example"
        let founder = try await client.found(company)
        for number in 0..<3 { _ = try await client.register(Person("pending-\(number)", at: company), Device()) }
        let gone = try await client.join(Person("gone", at: company))
        let last = try await client.signed(by: founder, "POST", client.path(gone.person, "/cancellation"))

        let replay = Replay(try await client.events(company, by: founder.session))
        let position = last["position"]?.number
        let admin = try await client.get(client.path(company, "/security-admin"), at: position)
        #expect(admin["employee"]?["companyEmployeeId"]?.text == replay.securityAdmin)
        let pending = try await client.get(client.path(company, "/authorizations"), at: position)
        let waiting = pending["items"]?.items.compactMap { $0["key"]?["employeePublicKey"]?.text } ?? []
        #expect(Set(waiting.compactMap(Base64.decode).map { Base64URL.encode($0) }) == replay.pending)
        let employees = try await client.get(client.path(company, "/employees"), at: position)
        let items = employees["items"]?.items ?? []
        #expect(Set(items.compactMap { $0["companyEmployeeId"]?.text }) == Set(replay.names.values))
        let cancelled = items.filter { $0["status"]?.text == "cancelled" }
        #expect(Set(cancelled.compactMap { $0["companyEmployeeId"]?.text }) == replay.cancelled)
        let read = try await client.get(client.path(company), at: position)
        #expect(read["employees"]?.number == Int64(replay.names.count - replay.cancelled.count))
    }
}
