import Canonical
import Foundation
import Testing

/// An app's view of one instance of the service.
struct Client: Sendable {
    let port: UInt16
    let app: TestApp

    init(_ url: URL, _ app: TestApp) throws {
        port = UInt16(try #require(url.port))
        self.app = app
    }

    /// The same instance, called by another app or with another secret.
    func by(_ app: TestApp) -> Client { Client(port: port, app: app) }

    /// The same instance, called with another secret of the app.
    func with(secret: String) -> Client {
        Client(port: port, app: TestApp(appId: app.appId, secret: secret, salt: app.salt))
    }

    private init(port: UInt16, app: TestApp) {
        self.port = port
        self.app = app
    }

    /// Sends one request over a connection of its own.
    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        try HTTPReply(try await TCPConnection.exchange(request.bytes, port: port))
    }

    /// Sends one request and loses the reply.
    func lose(_ request: HTTPRequest, cut: TCPConnection.Cut) async throws {
        try await TCPConnection.send(request.bytes, port: port, cut: cut)
    }

    /// A request of the app, or of another caller.
    func request(
        _ method: String, _ path: String, _ json: JSONValue? = nil, by caller: Caller? = nil, key: String? = nil
    ) -> HTTPRequest {
        let request = HTTPRequest(method, path, by: caller ?? .app(app), json: json)
        return key.map { request.with("Idempotency-Key", $0) } ?? request
    }

    /// `POST`, by the app unless another caller is named.
    func post(
        _ path: String, _ json: JSONValue? = nil, by caller: Caller? = nil, key: String? = nil
    ) async throws -> HTTPReply {
        try await send(request("POST", path, json, by: caller, key: key))
    }

    /// `GET`, by the app unless another caller is named; waits until views have reached a position.
    func get(_ path: String, by caller: Caller? = nil, at position: Int64? = nil) async throws -> HTTPReply {
        let request = request("GET", path, by: caller)
        return try await send(position.map { request.with("Tenure-Wait-For", String($0)) } ?? request)
    }
}

extension TenureWorld {
    /// The world's own app at the world's first instance.
    var client: Client { get throws { try Client(baseURL, app) } }
}

/// Somebody who is logged in.
struct Member: Sendable {
    var person: Person
    var device: Device
    var accessToken: String
    var refreshToken: String
    /// The position of the session in the company's ledger.
    var position: Int64

    /// The member as a caller.
    var session: Caller { .session(accessToken) }

    init(_ person: Person, _ device: Device, _ success: HTTPReply) throws {
        try #require(success.status == 200 && success.outcome == "success", "\(success)")
        self.person = person
        self.device = device
        accessToken = try #require(success["session"]?["accessToken"]?.text)
        refreshToken = try #require(success["session"]?["refreshToken"]?.text)
        position = try #require(success["position"]?.number)
    }
}

extension Client {
    /// A whole registration: start, key, and what is asked for then.
    func register(_ person: Person, _ device: Device) async throws -> HTTPReply {
        let flow = try await Flow.register(person, device, self)
        let asked = try await flow.prove(device)
        return asked.status == 200 ? try await flow.complete(person, asked) : asked
    }

    /// A whole login.
    func logIn(_ person: Person, _ device: Device) async throws -> HTTPReply {
        let flow = try await Flow.logIn(person, device, self)
        let asked = try await flow.prove(device)
        return asked.status == 200 ? try await flow.complete(person, asked) : asked
    }

    /// Registers the first employee of a company, who is its security admin.
    func found(_ company: String, by person: Person? = nil) async throws -> Member {
        let person = person ?? Person("founder", at: company)
        let device = Device()
        return try await seen(Member(person, device, try await register(person, device)))
    }

    /// Registers an employee, authorizes the key by the app and logs in.
    func join(_ person: Person) async throws -> Member {
        let device = Device()
        let pending = try await register(person, device)
        try #require(pending.outcome == "authorizationPending", "\(pending)")
        let authorized = try await authorize(device, of: person)
        try #require(authorized.status == 200, "\(authorized)")
        return try await seen(Member(person, device, try await logIn(person, device)))
    }

    /// Waits until reads know the member.
    private func seen(_ member: Member) async throws -> Member {
        let read = try await get(path(member.person.company), at: member.position)
        try #require(read.status == 200, "\(read)")
        return member
    }

    /// The path of a company.
    func path(_ company: String, _ rest: String = "") -> String { "/v1/companies/\(segment(company))\(rest)" }

    /// The path of an employee.
    func path(_ person: Person, _ rest: String = "") -> String {
        path(person.company, "/employees/\(segment(person.id))\(rest)")
    }

    /// Authorizes a key, by the app unless another caller is named.
    func authorize(
        _ device: Device, of person: Person, by caller: Caller? = nil, _ body: JSONValue? = nil
    ) async throws -> HTTPReply {
        try await post(path(person, "/keys/\(device.fingerprint)/authorization"), body, by: caller)
    }

    /// Does something that an admin must sign: asks for the statement, signs it, and asks again.
    func signed(
        by member: Member, _ method: String, _ path: String, _ body: [String: JSONValue] = [:],
        form: Device.Form = .der
    ) async throws -> HTTPReply {
        let first = try await send(request(method, path, .object(body), by: member.session))
        guard first.outcome == "signatureRequired" else { return first }
        var signed = body
        signed["statement"] = first["statement"]
        signed["signature"] = .string(try member.device.sign(base64: first["statement"]?.text, form))
        return try await send(request(method, path, .object(signed), by: member.session))
    }

    /// Changes the policy of a company with an admin's signature.
    func change(policy: [String: JSONValue], of company: String, by member: Member) async throws {
        let reply = try await signed(by: member, "PATCH", path(company, "/policy"), policy)
        try #require(reply.status == 200 && reply.outcome == "done", "\(reply)")
    }

    /// Waits until the views of a company have reached the end of its ledger.
    func settle(_ company: String) async throws {
        let last = try await events(company).last?["position"]?.number
        try #require(try await get(path(company), at: last).status == 200)
    }

    /// The events of a company, in the order of its ledger, page by page.
    func events(_ company: String, _ query: String = "", by caller: Caller? = nil) async throws -> [JSONValue] {
        var events: [JSONValue] = []
        var after: Int64 = 0
        while true {
            let path = path(company, "/events?limit=200&after=\(after)\(query.isEmpty ? "" : "&" + query)")
            let reply = try await get(path, by: caller)
            try #require(reply.status == 200, "\(reply)")
            events += reply["items"]?.items ?? []
            guard let next = reply["next"]?.number else { return events }
            try #require(next > after)
            after = next
        }
    }
}
