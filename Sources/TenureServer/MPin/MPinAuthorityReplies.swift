import Canonical
import IdentityService
import MPinRequests
import Transfers

/// What replies of a D-TA mean. The words of a reply never reach a description, except those that a D-TA documents.
struct MPinAuthorityReplies: Sendable {
    /// 1 or 2.
    let number: Int
    let address: MPinAuthorityAddress

    private var name: String { "D-TA \(number) (\(address))" }

    /// The share in a reply.
    ///
    /// - Parameter now: The time at which the reply arrived, to compare clocks.
    func share(
        _ share: MPinKeyRequest.Share, in reply: MPinAuthorityTransport.Reply, at now: Timestamp
    ) throws(MPinKeySourceError) -> [UInt8] {
        guard reply.status == 200 else { throw refusal(reply, at: now) }
        guard let members = Self.members(of: reply.body), members.count == 2, members["message"] == "OK",
            case .string(let text)? = members[share.name], let bytes = Hex.decode(text),
            bytes.count == share.byteCount
        else { throw malformed("answered something that is no key share") }
        return bytes
    }

    /// Throws unless the reply says that the D-TA works.
    func health(_ reply: MPinAuthorityTransport.Reply) throws(MPinKeySourceError) {
        guard reply.status == 200, Self.members(of: reply.body) == ["status": "ok"] else {
            throw malformed("does not answer as a D-TA does: /healthz gave \(reply.status)")
        }
    }

    private func refusal(_ reply: MPinAuthorityTransport.Reply, at now: Timestamp) -> MPinKeySourceError {
        let members = Self.members(of: reply.body)
        switch (reply.status, members?["message"]) {
        case (410, "IDENTITY_CLOSED"):
            return error(.closed, "issues no more shares for this identity, which it has known for 24 hours")
        case (408, "REQUEST_EXPIRED"):
            return error(
                .refused, "says that the request is expired\(difference(reply.date, now)). Set the clocks of both hosts"
            )
        case (403, "SIGNATURE_INVALID"):
            return error(.refused, "does not accept the signing key")
        case (400, "REQUEST_INVALID"):
            return error(.refused, "does not understand the request. Its version of tenure may be another")
        case (300..<400, _):
            return malformed("answered with a redirect, which is not followed")
        case (429, _), (500..<600, _):
            return error(.unavailable, "cannot work now: it answered \(reply.status)")
        default:
            return malformed("does not answer as a D-TA does: it answered \(reply.status)")
        }
    }

    private func difference(_ date: Timestamp?, _ now: Timestamp) -> String {
        guard let seconds = date?.duration(since: now).components.seconds else { return "" }
        let (amount, direction) = seconds < 0 ? (-seconds, "behind") : (seconds, "ahead of")
        return "; its clock is \(amount) s \(direction) this one"
    }

    /// The failure of a request without a reply.
    func failure(_ failure: HTTPTransfer.Failure) -> MPinKeySourceError {
        switch failure {
        case .unreachable: error(.unavailable, "cannot be reached")
        case .notTrusted: error(.unavailable, "has no certificate that this service trusts")
        case .timedOut: error(.unavailable, "did not answer in time")
        case .tooLarge: malformed("answered more than \(MPinAuthorityTransport.largestBody) bytes")
        case .unreadable: malformed("does not speak HTTP")
        }
    }

    private func malformed(_ text: String) -> MPinKeySourceError { error(.malformed, text) }

    private func error(_ code: MPinKeySourceError.Code, _ text: String) -> MPinKeySourceError {
        MPinKeySourceError(code: code, description: "\(name) \(text)")
    }

    private static func members(of body: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let members)? = try? StrictJSON.parse(body) else { return nil }
        return members
    }
}

extension MPinKeyRequest.Share {
    /// The number of bytes of a share: an uncompressed point of G1, or one of G2.
    fileprivate var byteCount: Int {
        switch self {
        case .clientKey: 97
        case .serverKey: 192
        }
    }
}
