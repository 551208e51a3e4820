import Canonical
import FoundationEssentials
import MPinRequests

enum Sample {
    static let start = Timestamp(microseconds: 1_790_000_000_250_000)
    static let tenant = UUID(bytes: Array(repeating: 0x5a, count: 16)) ?? .random()
    static let hash = [UInt8](0..<32)

    static func request(
        _ share: MPinKeyRequest.Share = .clientKey(mpinIDHash: hash), epoch: UInt32 = 1, at time: Timestamp = start
    ) -> MPinKeyRequest {
        MPinKeyRequest(share, tenantID: tenant, epoch: epoch, expires: time.adding(.seconds(50)))
    }
}
