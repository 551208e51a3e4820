import Canonical
import FoundationEssentials
import TenureAPI

@testable import IdentityService

extension FakeService {
    /// The value of the cookie of the one waiting browser.
    static let waitCookie = Base64URL.encode(appId.bytes + employeeId.bytes + [UInt8](repeating: 7, count: 32))
    /// The handle that the wait keeps.
    static let waitRequest = "aGFuZGxl"

    /// What Acme's employee 7 sees while the key waits.
    static func wait(
        _ standing: WaitStanding = .pending, mail: WaitView.Mail = .none, hasOtherDevice: Bool = false,
        isAdministrative: Bool = false, mayReturn: Bool = false, canSendMail: Bool = true, triesLeft: Int = 5,
        needsApproval: Bool = false, isApproved: Bool = false, told: WaitTold = .none
    ) -> WaitView {
        WaitView(
            standing: standing, tenantID: appId, employeeID: employeeId, companyName: "Acme", companyEmployeeId: "7",
            fingerprint: [UInt8](repeating: 0xAB, count: 32),
            challenge: standing == .authorized ? Array("challenge".utf8) : [], hasOtherDevice: hasOtherDevice,
            needsApproval: needsApproval, isApproved: isApproved, told: told,
            isAdministrative: isAdministrative, mayReturn: mayReturn, canSendMail: canSendMail, mail: mail,
            triesLeft: triesLeft,
            expiresAt: time, decided: 0)
    }

    /// The device of a mail, elsewhere than in the browser that waits.
    static func deviceMail(isWaiting: Bool = false, isFirst: Bool = false, device: String = "Firefox on Linux")
        -> DeviceMailView
    {
        DeviceMailView(
            isWaiting: isWaiting, code: isWaiting ? "" : "7KQ2-M9XA", isFirst: isFirst,
            fingerprint: [UInt8](repeating: 0xAB, count: 32),
            device: device, network: "192.0.2.7", companyName: "Acme", presentedAt: time)
    }

    /// The answer to a request about a waiting browser; `nil` for other requests.
    func waitAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let stop as StopWaitingMails:
            try await enter("stopWaitingMails", ["isDecision": "\(stop.isDecision)"], call)
            return emailLink
        case let begin as BeginWait:
            try await enter(
                "beginWait",
                [
                    "flow": begin.flow, "purpose": begin.purpose.rawValue, "request": begin.request,
                    "network": begin.network,
                ], call)
            return Self.waitCookie
        case let read as ReadWait:
            try await enter("readWait", ["cookie": read.cookie, "readsTold": "\(read.readsTold)"], call)
            return .some((read.cookie == Self.waitCookie ? wait : nil) as any Sendable)
        case let end as EndWait:
            try await enter(
                "endWait",
                [
                    "cookie": end.cookie, "challenge": Base64URL.encode(end.challenge),
                    "signature": Base64URL.encode(end.signature),
                ], call)
            return EndWait.Answer(outcome: Self.success, request: Self.waitRequest)
        case let code as EnterDeviceCode:
            try await enter("enterDeviceCode", ["code": code.code, "cookie": code.cookie], call)
            return deviceCode
        case let send as SendDeviceMail:
            try await enter("sendDeviceMail", ["cookie": send.cookie], call)
            return wait?.mail != WaitView.Mail.none
        case let read as ReadDeviceMail:
            try await enter("readDeviceMail", Self.details(read.link, read.cookie), call)
            return .some(deviceMail as any Sendable)
        case let answer as AnswerDeviceMail:
            var details = Self.details(answer.link, answer.cookie)
            details["wish"] = "\(answer.wish)"
            try await enter("answerDeviceMail", details, call)
            return deviceMail != nil
        default: return nil
        }
    }

    private static func details(_ link: DeviceMailLink, _ cookie: String?) -> [String: String] {
        [
            "tenant": link.tenant, "flow": link.flow, "expires": link.expires, "key": link.key,
            "cookie": cookie ?? "",
        ]
    }
}
