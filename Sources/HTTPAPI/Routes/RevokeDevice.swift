import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/devices/{fingerprint}/revocation`.
    static let revokeDevice = Route(.revokeDevice, body: .required) { exchange in
        let request = try DecisionRequest(jsonWithReason: try exchange.document())
        let input = DeviceRevocationInput(
            fingerprint: exchange.captures["fingerprint"], reason: request.reason ?? "",
            signed: request.signed.map { SignedStatement($0) })
        return .decision(
            try await exchange.service.revokeDevice(input, caller: exchange.employee(), call: exchange.call))
    }
}
