import Canonical
import Foundation
import Testing

@testable import TenureClient

/// The program ends between two steps and begins again with the same store.
@Suite struct `M-Pin after a crash` {
    /// A store of files in a directory of its own.
    private struct Place {
        let directory = NSTemporaryDirectory() + "tenure-mpin-" + UUID().uuidString
        var store: FileMPinStore { FileMPinStore(directory: directory) }
        func remove() { try? FileManager.default.removeItem(atPath: directory) }
    }

    @Test func `every step can follow a restart of the program`() async throws {
        let place = Place()
        defer { place.remove() }
        let service = try FakeMPinService(verifiesAtOnce: false)
        var device = try await MPinDevice(service, store: place.store)
        _ = try await device.user(.startedRegistration)

        device = try await device.restarted()
        var user = try await device.onlyUser()
        #expect(user.getState() == .startedRegistration && user.deviceName == "My Smartphone")
        #expect(user.identityId != nil)
        #expect(await device.client.restartRegistration(user).status == .ok)

        device = try await device.restarted()
        user = try await device.onlyUser()
        await service.verifyAll()
        #expect(await device.client.confirmRegistration(user).status == .ok)

        device = try await device.restarted()
        user = try await device.onlyUser()
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .flowError, "the key is gone")
        #expect(await device.client.confirmRegistration(user).status == .ok, "Confirm again gives the same key")
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .ok)

        device = try await device.restarted()
        user = try await device.onlyUser()
        #expect(user.getState() == .registered && user.pinDigits == 4)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .ok)
        for _ in 0..<3 { #expect(await device.client.finishAuthentication(user, pin: "2740").status == .incorrectPIN) }

        device = try await device.restarted()
        user = try await device.onlyUser()
        #expect(user.getState() == .blocked)
        #expect(await device.client.deleteUser(user).status == .ok)
        device = try await device.restarted()
        #expect(await device.client.listUsers().users.isEmpty)
    }

    @Test(arguments: [FakeMPinService.Call.pass1, .pass2, .authenticate], [false, true])
    func `a Finish without a response can be repeated, also with another PIN`(
        call: FakeMPinService.Call, isTaken: Bool
    ) async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.activated)
        #expect(await device.client.confirmRegistration(user).status == .ok)
        let reply: FakeMPinService.Reply = isTaken && call == .authenticate ? .loseResponse : .lose
        await device.service.answer(call, reply, .lose)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .networkError)
        #expect(user.getState() == .activated)
        await device.service.answer(call)
        #expect(await device.client.finishRegistration(user, pin: "1234").status == .ok)
        #expect(user.getState() == .registered)
        #expect(await device.client.finishAuthentication(user, pin: "1234").status == .ok)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .incorrectPIN)
    }

    @Test func `the verdict is asked for again under the same key when its response was lost`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        let user = try await device.user(.registered)
        await device.service.answer(.authenticate, .loseResponse)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .ok)
        let sent = await device.service.sent.filter { $0.url.hasSuffix("/authenticate") }.suffix(2)
        #expect(Set(sent.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(Set(sent.map(\.body)).count == 1)
    }

    @Test func `a crash before the proof was sent needs a Confirm and takes any PIN`() async throws {
        let service = try FakeMPinService(), first = try await MPinDevice(service)
        let user = try await first.user(.activated)
        #expect(await first.client.confirmRegistration(user).status == .ok)
        await service.answer(.pass1, .lose, .lose)
        #expect(await first.client.finishRegistration(user, pin: "2741").status == .networkError)

        let device = try await first.restarted()
        let again = try await device.onlyUser()
        #expect(again.getState() == .activated && again.pinDigits == nil)
        #expect(await device.client.finishRegistration(again, pin: "2741").status == .flowError)
        #expect(await device.client.confirmRegistration(again).status == .ok)
        #expect(await device.client.finishRegistration(again, pin: "123456").status == .ok)
        #expect(again.pinDigits == 6)
    }

    @Test func `a crash after the service took the proof strands nobody`() async throws {
        let service = try FakeMPinService(), first = try await MPinDevice(service)
        let user = try await first.user(.activated)
        #expect(await first.client.confirmRegistration(user).status == .ok)
        await service.answer(.authenticate, .loseResponse, .lose)
        #expect(await first.client.finishRegistration(user, pin: "2741").status == .networkError)

        // The service issues no key to a registered identity. The token in the store is proved instead.
        let device = try await first.restarted()
        let again = try await device.onlyUser()
        #expect(await device.client.confirmRegistration(again).status == .ok)
        #expect(await device.client.finishRegistration(again, pin: "2742").status == .incorrectPIN)
        #expect(again.getState() == .activated)
        #expect(await device.client.finishRegistration(again, pin: "2741").status == .ok)
        #expect(again.getState() == .registered)
        #expect(try await device.record()?.regOTT == nil)
    }

    @Test func `a store that fails changes no state`() async throws {
        let place = Place()
        defer { place.remove() }
        let device = try await MPinDevice(FakeMPinService(), store: place.store)
        let user = try await device.user(.activated)
        #expect(await device.client.confirmRegistration(user).status == .ok)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.directory)
        let before = await device.service.sent.count
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .storageError)
        #expect(await device.service.sent.count == before, "nothing is proved that is not stored")
        let other = device.client.makeNewUser("other")
        #expect(await device.client.startRegistration(other).status == .storageError)
        #expect(other.getState() == .invalid)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.directory)
        #expect(await device.client.finishRegistration(user, pin: "2741").status == .ok)
    }
}
