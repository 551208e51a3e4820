import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/devices`.
    static let listDevices = Route(.listDevices) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let devices = try await exchange.service.devices(of: exchange.employee())
        return .json(PageResponse(items: devices.map(DeviceResponse.init)))
    }
}
