import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    static let startPasskeyLogin = Route(.startPasskeyLogin) { exchange in
        .json(try await exchange.run(StartPasskeyLogin(app: exchange.app())))
    }

    static let answerPasskeyLogin = Route(.answerPasskeyLogin) { exchange in
        let request = try exchange.read(PasskeyLoginRequest.self)
        return try await exchange.outcome(LogInByPasskey(request, app: exchange.app()))
    }

    static let readPasskeyOptions = Route(.readPasskeyOptions) { exchange in
        .json(try await exchange.run(ReadPasskeyOptions(caller: exchange.employee())))
    }

    /// `POST /v1/passkeys`. A repeated call is refused: its challenge is used up.
    static let presentPasskey = Route(.presentPasskey) { exchange in
        let request = try exchange.read(PasskeyRequest.self), caller = try exchange.employee()
        let fingerprint = try await exchange.run(AddPasskey(request, caller: caller))
        let devices = try await exchange.run(ListDevices(caller: caller))
        guard let device = devices.first(where: { $0.fingerprint == fingerprint }) else {
            throw Refusal(.sessionInvalid)
        }
        return .json(device)
    }
}
