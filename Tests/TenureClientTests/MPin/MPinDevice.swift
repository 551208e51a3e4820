import Foundation
import Testing

@testable import TenureClient

/// A device: a client of M-Pin with a store, of a fake service.
struct MPinDevice {
    let service: FakeMPinService
    let store: any MPinStore
    let tenure: TenureClient
    let client: MPinClient

    init(_ service: FakeMPinService, store: any MPinStore = MemoryMPinStore()) async throws {
        self.service = service
        self.store = store
        tenure = TenureClient(
            baseURL: FakeMPinService.base, appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: service, retries: RetryPolicy(attempts: 2, firstWait: .milliseconds(1)),
            keyStore: MemoryDeviceKeyStore(), sessionStore: MemorySessionStore(), pinStore: MemoryPinStore())
        client = MPinClient(tenure, store: store)
        #expect(await client.setBackend(FakeMPinService.backend).status == .ok)
    }

    /// Whether a text holds a PIN as a value of its own. Four digits inside a longer random value are chance.
    static func shows(_ pin: String, in text: String) -> Bool {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=-_".contains($0))) }.contains { $0 == pin }
    }

    /// Takes a new user to a state.
    func user(_ state: MPinUser.State, pin: String = "2741") async throws -> MPinUser {
        let user = client.makeNewUser("me@MIRACL.org", deviceName: "My Smartphone")
        if state == .invalid { return user }
        #expect(await client.startRegistration(user).status == .ok)
        if state == .startedRegistration || state == .activated {
            try #require(user.getState() == state, "the service of this test cannot lead there")
            return user
        }
        #expect(await client.confirmRegistration(user).status == .ok)
        #expect(await client.finishRegistration(user, pin: pin).status == .ok)
        if state == .registered { return user }
        for _ in 0..<3 { #expect(await client.finishAuthentication(user, pin: "9999").status == .incorrectPIN) }
        try #require(user.getState() == .blocked)
        return user
    }

    /// The same device after the program has ended and begun again.
    func restarted() async throws -> MPinDevice { try await MPinDevice(service, store: store) }

    /// The one stored user.
    func onlyUser() async throws -> MPinUser {
        let (status, users) = await client.listUsers()
        #expect(status.status == .ok)
        return try #require(users.first)
    }

    func record() async throws -> MPinRecord? { try await store.records().first }
}
