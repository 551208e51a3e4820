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
            if problem.word == .problemNotPermitted {
                problem = AccountProblem(word: .problemTooOften, status: problem.status)
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
            "explanation": .text(text(.devicesExplanation)), "nameLabel": .text(text(.devicesName)),
            "rename": .text(text(.devicesRename)), "wordsLabel": .text(text(.devicesWords)),
            "fingerprintLabel": .text(text(.devicesFingerprint)), "reasonLabel": .text(text(.devicesReason)),
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
        return page(.devices, .devicesTitle, of: me, at: .showDevices, content, problem: problem)
    }

    private func device(_ device: DeviceResponse) -> PageContent {
        let isPending = device.state == "pending", isInForce = device.state == "authorized"
        var content: PageContent = [
            "fingerprint": .text(device.fingerprint),
            "name": .text(device.name ?? text(.devicesNameless)),
            "state": .text(text(PageWord(keyState: device.state))),
            "times": .list(times(of: device).map { ["time": .text($0)] }),
        ]
        if device.isCurrent { content["current"] = .text(text(.devicesCurrent)) }
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
            content["revoke"] = .text(text(.decisionRevoke))
            content["reasons"] = .list(reasons)
            content["revokeToken"] = .text(DecisionPage.token(.revoke, device.fingerprint, self))
        } else {
            content["approve"] = .text(text(.decisionAuthorize))
            content["approvePath"] = .text(DecisionPage.path(.authorize, device.fingerprint, self))
            content["refuse"] = .text(text(.decisionRefuse))
            content["refusePath"] = .text(DecisionPage.path(.refuse, device.fingerprint, self))
            content["approveHint"] = .text(text(.devicesApproveHint))
        }
        return content
    }

    private var reasons: [PageContent] {
        DecisionReason.allCases.map { ["reason": .text($0.rawValue), "reasonText": .text(text($0.word))] }
    }

    private func times(of device: DeviceResponse) -> [String] {
        let first = device.presentedAt.forPeople, app = device.presentedBy?.name
        var times = [app.map { text(.devicesPresentedBy, first, $0) } ?? text(.devicesPresented, first)]
        if let at = device.authorizedAt { times.append(text(.devicesAuthorized, at.forPeople)) }
        if let at = device.lastUsedAt { times.append(text(.devicesUsed, at.forPeople)) }
        if let at = device.endedAt { times.append(text(.devicesEnded, at.forPeople)) }
        return times
    }
}

extension PageWord {
    /// The text for the state of a device key.
    init(keyState: String) {
        self =
            switch keyState {
            case "authorized": .devicesStateAuthorized
            case "pending": .devicesStatePending
            case "refused": .devicesStateRefused
            case "revoked": .devicesStateRevoked
            default: .devicesStateExpired
            }
    }
}

extension FingerprintWords {
    /// - Parameter hex: The fingerprint in hexadecimal; a text of another form has no words.
    init(hex: String) { self.init(Hex.decode(hex) ?? []) }
}
