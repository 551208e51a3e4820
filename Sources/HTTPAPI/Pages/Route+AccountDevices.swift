import Canonical
import IdentityService
import TenureAPI

/// The devices of an account.
struct DevicesContent: AccountContent {
    static let template: PageTemplate = "devices"

    struct Item: PagePart {
        let fingerprint: String
        let name: String
        let state: String
        /// The class of the state: `good`, `wait` or `ended`.
        let mark: String
        let isCurrent: Bool
        /// What a passkey is, and who can copy it; `nil` for another key.
        let kind: String?
        let times: [String]
        /// The words of the fingerprint.
        let words: String?
        /// The form that names the device.
        var form: FormPart?
        var enteredName: String
        var nameProblem: String?
        /// The form that leads to the signature of a revocation.
        var revocation: FormPart?
        var approvePath: String?
        var refusePath: String?
    }

    let devices: [Item]
    /// Where a passkey is added; `nil` if there are none.
    let addPath: String?
}

extension Route {
    static let showDevices = account(.showDevices) { try await $0.devices().reply() }

    static let nameDevice = accountForm(.nameDevice) { account, form in
        let name = (try? form.fields.text("name")) ?? ""
        do {
            try await account.exchange.run(
                NameDevice(fingerprint: form.request, name: name, caller: account.caller))
        } catch let error as ServiceError {
            guard var problem = AccountProblem(error) else { throw error }
            // The owner names a device as often as the state of the account has room for.
            if problem.word == "problem.notPermitted" {
                problem = AccountProblem(word: "problem.tooOften", status: problem.status)
            }
            return try await account.devices(problem, of: form.request, entered: name).reply()
        }
        return .seeOther(Endpoint.showDevices.template.text)
    }
}

extension AccountVisit {
    /// The page of the devices.
    ///
    /// - Parameters:
    ///   - problem: Why a device was not named.
    ///   - fingerprint: That device.
    ///   - entered: What the person entered as its name.
    fileprivate func devices(
        _ problem: AccountProblem? = nil, of fingerprint: String = "", entered: String = ""
    ) async throws -> HostedPage {
        let me = try await me(), devices = try await exchange.run(ListDevices(caller: caller))
        let passkeys = try await exchange.run(ReadPasskeys(caller: caller))
        let items = devices.reversed().map { device in
            var item = item(device, passkeys?.held.first { $0.fingerprint == device.fingerprint })
            if let problem, device.fingerprint == fingerprint {
                item.nameProblem = text(problem.word)
                item.enteredName = entered
            }
            return item
        }
        let content = DevicesContent(
            devices: items, addPath: passkeys.map { _ in passkeyPath })
        return page(content, "devices.title", of: me, at: .showDevices, problem: problem)
    }

    private func item(_ device: DeviceResponse, _ passkey: OwnPasskeys.Held?) -> DevicesContent.Item {
        let isPending = device.state == "pending", isInForce = device.state == "authorized"
        let fingerprint = device.fingerprint
        var item = DevicesContent.Item(
            fingerprint: fingerprint,
            name: device.name ?? text(passkey == nil ? "devices.nameless" : "devices.passkey"),
            state: text(PageWord(keyState: device.state)),
            mark: isInForce ? "good" : isPending ? "wait" : "ended", isCurrent: device.isCurrent,
            kind: passkey.map { text($0.isSynced ? "passkey.synced" : "passkey.bound") },
            times: times(of: device),
            // Those of a device that waits are asked for, so they stand nowhere here.
            words: isPending ? nil : FingerprintWords(hex: fingerprint).text, enteredName: device.name ?? "")
        guard isPending || isInForce else { return item }
        item.form = form(.nameDevice, fingerprint)
        if isInForce {
            item.revocation = FormPart(
                action: Endpoint.showDecision.template.text, token: DecisionPage.token(.revoke, fingerprint, self),
                request: fingerprint)
        } else {
            item.approvePath = DecisionPage.path(.authorize, fingerprint, self)
            item.refusePath = DecisionPage.path(.refuse, fingerprint, self)
        }
        return item
    }

    private func times(of device: DeviceResponse) -> [String] {
        let first = device.presentedAt.forPeople, app = device.presentedBy?.name.map { name(ofApp: $0) }
        var times = [app.map { text("devices.presentedBy", first, $0) } ?? text("devices.presented", first)]
        if let at = device.authorizedAt { times.append(text("devices.authorized", at.forPeople)) }
        if let at = device.lastUsedAt { times.append(text("devices.used", at.forPeople)) }
        if let at = device.endedAt { times.append(text("devices.ended", at.forPeople)) }
        return times
    }
}

extension PageWord {
    /// The text for the state of a device key.
    init(keyState: String) {
        self =
            switch keyState {
            case "authorized": "devices.stateAuthorized"
            case "pending": "devices.statePending"
            case "refused": "devices.stateRefused"
            case "revoked": "devices.stateRevoked"
            default: "devices.stateExpired"
            }
    }
}
