import Canonical
import Crypto
import Foundation
import Testing

@Suite(.onServer, .sharedWorld)
struct `With openssl alone` {
    @Test(arguments: [false, true])
    func `a recorded challenge verifies under both keys`(withQuestions: Bool) async throws {
        let client = try sharedWorld().client
        let company = "openssl-\(withQuestions).example"
        let person = withQuestions ? Person.withQuestions("f", at: company) : Person("f", at: company)
        let founder = try await client.found(company, by: person)
        expectOutcome(try await client.logIn(person, founder.device), "success")
        let type = withQuestions ? "AnswersValidated" : "PassphraseValidated"
        let events = try await client.events(company, "type=\(type)", by: founder.session)
        let data = try #require(events.last?["data"])
        #expect(data["mode"]?.text == "direct" && data["purpose"]?.text == "login")
        let challenge = try bytes(base64url: data["challenge"]?.text)
        #expect(String(decoding: challenge, as: UTF8.self).hasPrefix("tenure/v1/challenge\n"))
        #expect(try bytes(base64url: data["employeeKey"]?.text) == founder.device.point)
        try expectVerifies(
            challenge, try bytes(base64url: data["deviceSignature"]?.text),
            try bytes(base64url: data["employeeKey"]?.text))
        let validation = Array("tenure/v1/validation\n".utf8) + challenge
        try expectVerifies(
            validation, try bytes(base64url: data["userSignature"]?.text), try bytes(base64url: data["userKey"]?.text))
    }

    @Test func `a recorded authorization verifies, by an admin and by an app`() async throws {
        let client = try sharedWorld().client
        let company = "openssl-keys.example"
        let founder = try await client.found(company)
        for byAdmin in [true, false] {
            let person = Person("employee-\(byAdmin)", at: company)
            let device = Device()
            _ = try await client.register(person, device)
            let path = client.path(person, "/keys/\(device.fingerprint)/authorization")
            let reply = byAdmin ? try await client.signed(by: founder, "POST", path) : try await client.post(path)
            expectOutcome(reply, "done")
            let events = try await client.events(
                company, "type=EmployeeKeyAuthorized&employee=\(person.id)", by: founder.session)
            let by = try #require(events.last?["data"]?["by"])
            #expect(by["kind"]?.text == (byAdmin ? "employee" : "app"))
            let statement = try bytes(base64url: by["statement"]?.text)
            #expect(String(decoding: statement, as: UTF8.self).hasPrefix("tenure/v1/key-authorization\n"))
            if byAdmin { #expect(try bytes(base64url: by["key"]?.text) == founder.device.point) }
            try expectVerifies(
                statement, try bytes(base64url: by["signature"]?.text), try bytes(base64url: by["key"]?.text))
        }
    }

    @Test func `a device makes its key and signs`() async throws {
        let client = try sharedWorld().client
        let directory = try TemporaryFiles()
        defer { directory.remove() }
        let key = directory.path("key.pem")
        try directory.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        try directory.openssl("ec", "-in", key, "-pubout", "-out", directory.path("public.pem"))
        let pem = try String(contentsOfFile: directory.path("public.pem"), encoding: .utf8)
        let point = Array(try P256.Signing.PublicKey(pemRepresentation: pem).x963Representation)
        let person = Person("f", at: "openssl-device.example")
        var members = person.registration(Device()).members
        members["employeePublicKey"] = .string(Base64.encode(point))
        let started = try await client.post("/v1/registrations", .object(members))
        let challenge = try bytes(base64: started.challenge)
        try Data(challenge).write(to: URL(fileURLWithPath: directory.path("challenge")))
        try directory.openssl(
            "dgst", "-sha256", "-sign", key, "-out", directory.path("signature"), directory.path("challenge"))
        let signature = Array(try Data(contentsOf: URL(fileURLWithPath: directory.path("signature"))))
        let flow = Flow(
            client: client, kind: .registrations, handle: try #require(started["flow"]?.text),
            challenge: try #require(started.challenge))
        let asked = try await flow.step("key", ["keyProof": .string(Base64.encode(signature))])
        expectOutcome(try await flow.complete(person, asked), "success")
    }

    /// Expects that `openssl dgst -verify` accepts these bytes and refuses others.
    private func expectVerifies(_ message: [UInt8], _ rawSignature: [UInt8], _ point: [UInt8]) throws {
        let directory = try TemporaryFiles()
        defer { directory.remove() }
        let key = try P256.Signing.PublicKey(x963Representation: point)
        #expect(rawSignature.count == 64)
        let der = try P256.Signing.ECDSASignature(rawRepresentation: rawSignature).derRepresentation
        try key.pemRepresentation.write(toFile: directory.path("key.pem"), atomically: true, encoding: .utf8)
        try der.write(to: URL(fileURLWithPath: directory.path("signature")))
        for changed in [false, true] {
            var bytes = message
            if changed { bytes[bytes.count / 2] ^= 1 }
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path("message")))
            let status = try directory.status(
                "dgst", "-sha256", "-verify", directory.path("key.pem"), "-signature", directory.path("signature"),
                directory.path("message"))
            #expect((status == 0) == !changed)
        }
    }
}
