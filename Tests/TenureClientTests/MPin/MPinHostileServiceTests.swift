import Canonical
import Foundation
import Testing

@testable import TenureClient

@Suite struct `A hostile M-Pin service` {
    private static let generator =
        "0417f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
        + "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"

    private func user(_ device: MPinDevice, _ state: MPinUser.State = .activated) async throws -> MPinUser {
        try await device.user(state)
    }

    @Test func `cannot replace the M-Pin ID at a restart`() async throws {
        let device = try await MPinDevice(FakeMPinService(verifiesAtOnce: false))
        let user = try await device.user(.startedRegistration), before = try await device.record()
        await device.service.answer(.restart, .altered { $0.merging(["mpinId": "00ff"]) { _, new in new } })
        #expect(await device.client.restartRegistration(user).status == .responseParseError)
        await device.service.answer(
            .restart,
            .altered { $0.merging(["identityId": "0b6f2a04-5d0c-4f0f-9d57-2f4a1f0f6a3e"]) { _, new in new } })
        #expect(await device.client.restartRegistration(user).status == .responseParseError)
        #expect(try await device.record() == before)
    }

    @Test(arguments: ["", "0", "0G", "AB", String(repeating: "ab", count: 2_049)])
    func `cannot issue an M-Pin ID that is no hex`(id: String) async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device, .invalid)
        await device.service.answer(.start, .altered { $0.merging(["mpinId": .string(id)]) { _, new in new } })
        #expect(await device.client.startRegistration(user).status == .responseParseError)
        #expect(user.getState() == .invalid)
        #expect(try await device.record() == nil)
    }

    @Test(arguments: [
        "", "00", "04", "zz", String(repeating: "00", count: 97), "04" + String(repeating: "00", count: 96),
        "04" + String(repeating: "ff", count: 96), "04" + String(repeating: "01", count: 96),
        generator + "00", "02" + generator.dropFirst(2), String(repeating: "ab", count: 10_000),
    ])
    func `cannot pass off other bytes as shares`(share: String) async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device)
        await device.service.answer(
            .signature, .altered { $0.merging(["clientSecretShare": .string(share)]) { _, new in new } })
        #expect(await device.client.confirmRegistration(user).status == .cryptoError)
        await device.service.answer(
            .secondShare, .altered { $0.merging(["clientSecret": .string(share)]) { _, new in new } })
        #expect(await device.client.confirmRegistration(user).status == .cryptoError)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .flowError)
        #expect(user.getState() == .activated)
    }

    @Test func `cannot send one share twice`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device)
        let point = Self.generator
        await device.service.answer(
            .signature, .altered { $0.merging(["clientSecretShare": .string(point)]) { _, new in new } })
        await device.service.answer(
            .secondShare, .altered { $0.merging(["clientSecret": .string(point)]) { _, new in new } })
        #expect(await device.client.confirmRegistration(user).status == .cryptoError)
    }

    @Test func `cannot make a token of shares that do not fit`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device)
        let point = Self.generator
        await device.service.answer(
            .secondShare, .altered { $0.merging(["clientSecret": .string(point)]) { _, new in new } })
        #expect(await device.client.confirmRegistration(user).status == .ok, "the generator is a point")
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .cryptoError)
        #expect(user.getState() == .activated)
        #expect(try await device.record()?.token == nil)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .flowError, "Confirm is needed")
        #expect(await device.client.confirmRegistration(user).status == .ok)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .ok)
    }

    @Test func `blocks a user by refusing proofs, which is no wrong PIN`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device)
        #expect(await device.client.confirmRegistration(user).status == .ok)
        await device.service.answer(.authenticate, .response(FakeMPinService.problem("mpin.blocked", 410)))
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .cryptoError)
        #expect(user.getState() == .blocked)
        #expect(try await device.record()?.token == nil)
    }

    @Test(arguments: [
        "hash_mpin_id=\(String(repeating: "0", count: 64))", "", "app_id=x", "hash_mpin_id=#", "a b", "a\r\nb",
        String(repeating: "a", count: 2_000),
    ])
    func `cannot have a share of another identity requested`(query: String) async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device)
        await device.service.answer(.signature, .altered { $0.merging(["params": .string(query)]) { _, new in new } })
        #expect(await device.client.confirmRegistration(user).status == .responseParseError)
        #expect(await device.service.sent.contains { $0.url.hasPrefix("https://dta") } == false)
    }

    @Test func `cannot extend the query for the second D-TA`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device)
        for suffix in ["&hash_mpin_id=00", "#x", "/../x", " HTTP/1.1", "?x"] {
            await device.service.answer(
                .signature,
                .altered { members in
                    guard case .string(let query)? = members["params"] else { return members }
                    return members.merging(["params": .string(query + suffix)]) { _, new in new }
                })
            #expect(await device.client.confirmRegistration(user).status == .responseParseError, "\(suffix)")
        }
    }

    @Test(arguments: [
        "http://dta.example/", "http://127.0.0.1.dta.example/", "http://localhost@dta.example/", "ftp://dta.example/",
        "//dta.example/", "/dta/", "", "https://", "https://dta.example/?x=", "https://dta.example/#", "dta.example",
        "http://[::2]/", "http://0x7f000001/", "https://user:secret@dta.example/",
    ])
    func `cannot name a second D-TA in clear text, or none`(address: String) async throws {
        let device = try await MPinDevice(FakeMPinService())
        await device.service.answer(
            .settings, .altered { $0.merging(["certivoxURL": .string(address)]) { _, new in new } })
        #expect(await device.client.setBackend(FakeMPinService.backend).status == .cryptoError)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8002/", "http://127.0.0.1:8002/"), ("http://localhost/dta", "http://localhost/dta/"),
        ("http://[::1]:1/", "http://[::1]:1/"), ("https://dta.example", "https://dta.example/"),
        ("HTTPS://DTA.example:444/a/", "HTTPS://DTA.example:444/a/"),
    ])
    func `a second D-TA on this machine may be clear text`(address: String, expected: String) {
        #expect(MPinBackend.authority(address) == expected)
    }

    @Test(arguments: [
        "", "id.example", "http://id.example/mpin/acme.example", "https://u:p@id.example/mpin/a",
        "https://id.example/mpin/a?x", "https:///mpin/a", "file:///mpin/a",
    ])
    func `a backend that would send secrets in clear text is no backend`(address: String) async throws {
        let device = try await MPinDevice(FakeMPinService())
        #expect(await device.client.testBackend(address).status == .flowError)
        #expect(await device.client.setBackend(address).status == .flowError)
        #expect(MPinBackend.address("http://10.0.0.9:8080/mpin/a", trusted: "http://10.0.0.9:8080") != nil)
        #expect(MPinBackend.address("http://10.0.0.9:80801/mpin/a", trusted: "http://10.0.0.9:8080") == nil)
        #expect(MPinBackend.address("http://id.example/mpin/a", trusted: "") == nil)
    }

    @Test func `another suite and time permits are refused`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        for change in [["suite": JSONValue.string("BN254")], ["usePermits": true]] {
            await device.service.answer(.settings, .altered { $0.merging(change) { _, new in new } })
            #expect(await device.client.setBackend(FakeMPinService.backend).status == .cryptoError)
        }
        let user = try await user(device)
        await device.service.answer(.signature, .altered { $0.merging(["suite": "BN254"]) { _, new in new } })
        #expect(await device.client.confirmRegistration(user).status == .cryptoError)
    }

    @Test(arguments: [FakeMPinService.Call.settings, .start, .signature, .secondShare, .pass1, .pass2, .authenticate])
    func `huge, empty and malformed bodies are no responses`(call: FakeMPinService.Call) async throws {
        let long = Array("{\"x\":\"\(String(repeating: "a", count: 70_000))\"}".utf8)
        let bodies = [[], Array("{}".utf8), Array("[]".utf8), Array("<html>".utf8), long]
        for body in bodies {
            let device = try await MPinDevice(FakeMPinService())
            let isAuthentication = [.pass1, .pass2, .authenticate].contains(call)
            let user = try await user(device, isAuthentication ? .registered : call == .start ? .invalid : .activated)
            let before = (user.getState(), try await device.record())
            await device.service.answer(call, .response(WireResponse(status: 200, body: body)))
            let status =
                switch call {
                case .settings: await device.client.setBackend(FakeMPinService.backend)
                case .start: await device.client.startRegistration(user)
                case .signature, .secondShare: await device.client.confirmRegistration(user)
                default: await device.client.finishAuthentication(user, pin: "2741")
                }
            #expect(status.status == .responseParseError)
            #expect(user.getState() == before.0)
            #expect(try await device.record() == before.1)
        }
    }

    @Test func `cannot answer a proof with another identity or a bad challenge`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await user(device, .registered)
        for change in [["mpinId": JSONValue.string("00ff")], ["identityId": .uuid(UUID())], ["status": 401]] {
            await device.service.answer(.authenticate, .altered { $0.merging(change) { _, new in new } })
            #expect(await device.client.finishAuthentication(user, pin: "2741").status == .responseParseError)
        }
        for y in ["", "00", String(repeating: "00", count: 32), String(repeating: "ff", count: 32)] {
            await device.service.answer(.pass1, .altered { $0.merging(["y": .string(y)]) { _, new in new } })
            let before = await device.service.sent.count
            #expect(await device.client.finishAuthentication(user, pin: "2741").status == .responseParseError)
            #expect(await device.service.sent.count == before + 1, "no V leaves the device")
        }
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .ok)
    }
}
