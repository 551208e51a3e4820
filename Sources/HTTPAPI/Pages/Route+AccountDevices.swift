import Canonical
import IdentityService
import TenureAPI

extension Route {
    /// `GET /account/devices`.
    static let showDevices = account(.showDevices) { try await $0.devices().reply() }

    /// `POST /account/devices/name`.
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
        let content: PageContent = [
            "explanation": .text(text("devices.explanation")), "nameLabel": .text(text("devices.name")),
            "rename": .text(text("devices.rename")), "wordsLabel": .text(text("devices.words")),
            "fingerprintLabel": .text(text("devices.fingerprint")), "reasonLabel": .text(text("devices.reason")),
            "devices": .list(
                devices.reversed().map { device in
                    var shown = self.device(device)
                    if let problem, device.fingerprint == fingerprint {
                        shown["nameProblem"] = .text(text(problem.word))
                        shown["enteredName"] = .text(entered)
                    }
                    return shown
                }),
        ]
        return page(.devices, "devices.title", of: me, at: .showDevices, content, problem: problem)
    }

    private func device(_ device: DeviceResponse) -> PageContent {
        let isPending = device.state == "pending", isInForce = device.state == "authorized"
        var content: PageContent = [
            "fingerprint": .text(device.fingerprint),
            "name": .text(device.name ?? text("devices.nameless")),
            "state": .text(text(PageWord(keyState: device.state))),
            "times": .list(times(of: device).map { ["time": .text($0)] }),
        ]
        if device.isCurrent { content["current"] = .text(text("devices.current")) }
        // Those of a device that waits are asked for, so they stand nowhere here.
        if !isPending {
            content["key"] = .list([
                ["words": .text(FingerprintWords(hex: device.fingerprint).text), "digits": .text(device.fingerprint)]
            ])
        }
        guard isPending || isInForce else { return content }
        content["nameForm"] = .text(token(.nameDevice, device.fingerprint))
        content["enteredName"] = .text(device.name ?? "")
        if isInForce {
            content["revoke"] = .text(text("decision.revoke"))
            content["reasons"] = .list(reasons)
            content["revokeToken"] = .text(DecisionPage.token(.revoke, device.fingerprint, self))
        } else {
            content["approve"] = .text(text("decision.authorize"))
            content["approvePath"] = .text(DecisionPage.path(.authorize, device.fingerprint, self))
            content["refuse"] = .text(text("decision.refuse"))
            content["refusePath"] = .text(DecisionPage.path(.refuse, device.fingerprint, self))
            content["approveHint"] = .text(text("devices.approveHint"))
        }
        return content
    }

    private var reasons: [PageContent] {
        DecisionReason.allCases.map { ["reason": .text($0.rawValue), "reasonText": .text(text($0.word))] }
    }

    private func times(of device: DeviceResponse) -> [String] {
        let first = device.presentedAt.forPeople, app = device.presentedBy?.name
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

extension FingerprintWords {
    /// - Parameter hex: The fingerprint in hexadecimal; a text of another form has no words.
    init(hex: String) { self.init(Hex.decode(hex) ?? []) }
}
