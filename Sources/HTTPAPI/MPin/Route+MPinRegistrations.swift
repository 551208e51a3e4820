import Canonical
import IdentityService
import TenureAPI

extension Route {
    static let readMPinSettings = Route(.readMPinSettings) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let settings = try await exchange.run(ReadMPinSettings(company: exchange.company, app: exchange.app()))
        let backend = "\(exchange.publicURL)/mpin/\(PercentEncoding.encode(exchange.company))"
        return .json(
            MPinClientSettingsResponse(
                backend: backend, certivoxURL: settings.clientURL, appID: settings.tenantID, suite: settings.suite))
    }

    static let startMPin = Route(.startMPin) { exchange in
        let request = try exchange.read(MPinStartRequest.self)
        guard request.regOTT == nil else {
            throw Refusal.invalid(
                .pointer("/regOTT"), "a start has no regOTT; a restart names the M-Pin ID in its path")
        }
        let registration = try await exchange.run(
            StartMPinRegistration(
                company: exchange.company, userID: request.userId, deviceName: request.deviceName,
                activationCode: request.activateCode, languages: exchange.headers.preferredLanguages,
                app: exchange.app()))
        return .json(registration)
    }

    static let restartMPin = Route(.restartMPin) { exchange in
        let request = try exchange.read(MPinStartRequest.self)
        guard request.activateCode == nil else {
            throw Refusal.invalid(
                .pointer("/activateCode"), "a restart takes no activation code; start a new registration")
        }
        let registration = try await exchange.run(
            RestartMPinRegistration(
                company: exchange.company, mpinID: exchange.captures["mpinId"], token: request.regOTT ?? "",
                userID: request.userId, languages: exchange.headers.preferredLanguages, app: exchange.app()))
        return .json(registration)
    }

    static let activateMPin = Route(.activateMPin) { exchange in
        let request = try exchange.read(MPinActivateRequest.self)
        _ = try await exchange.run(
            VerifyMPinByMail(
                company: exchange.company,
                .activateKey(request.activateKey, mpinID: exchange.captures["mpinId"], app: exchange.app()),
                isConfirmed: true))
        return .json(MPinEmptyResponse())
    }

    static let confirmMPin = Route(.confirmMPin) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let token = query.text("regOTT"), push = query.text("pmiToken")
        try query.finish()
        let offer = try await exchange.run(
            ConfirmMPinRegistration(
                company: exchange.company, mpinID: exchange.captures["mpinId"], token: token ?? "",
                pushIdentifier: push.flatMap { $0.isEmpty ? nil : $0 }, app: exchange.app()))
        return .json(
            MPinSignatureResponse(
                clientSecretShare: Hex.encode(offer.share), params: offer.query, suite: offer.suite,
                epoch: Int64(offer.epoch)))
    }

    /// `POST /mpin/{companyName}/rps/setupDone/{mpinId}`: the first right proof completes a registration, not this.
    static let finishMPin = Route(.finishMPin) { exchange in
        _ = try exchange.document()
        _ = try await exchange.run(ReadMPinSettings(company: exchange.company, app: exchange.app()))
        return .json(MPinEmptyResponse())
    }
}
