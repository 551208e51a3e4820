import Canonical
import ErrorCodes
import FoundationEssentials
import TenureAPI

@testable import IdentityService

extension FakeService {
    /// The id of the mail about a change of an address.
    static let changeMail = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x40, 8, 0x80, 10, 11, 12, 13, 14, 15, 16))

    /// The answer to a request of the account's pages; `nil` for other requests.
    func accountAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let name as NameDevice:
            try await enter("nameDevice", ["fingerprint": name.fingerprint, "name": name.name], call)
            guard !name.name.isEmpty else { throw ServiceError(.requestInvalid) }
            return ()
        case let set as SetDisplayName:
            try await enter("setDisplayName", ["name": set.name], call)
            guard !set.name.contains("<") else { throw ServiceError(.requestInvalid) }
            return ()
        case let make as MakeUserNames:
            try await enter("makeUserNames", ["addresses": make.addresses.joined(separator: "|")], call)
            return make.addresses.map { address -> String? in
                address.hasPrefix("admin@") ? nil : address.split(separator: "@").first.map(String.init)
            }
        case let mails as SwitchWaitingMails:
            guard let isOn = mails.isOn else { return waitingMails }
            try await enter("switchWaitingMails", ["isOn": "\(isOn)"], call)
            return isOn ? WaitingMails.on : .off
        case is ReadOwnAddress: return ReadOwnAddress.Answer(address: "zoe@pier.example")
        case let start as StartEmailChange:
            try await enter("startEmailChange", ["email": start.email], call)
            guard start.email != "late@pier.example" else { throw ServiceError(.sessionLoginRequired) }
            return Self.changeMail
        case let prove as ProveEmailChange:
            try await enter("proveEmailChange", ["mail": prove.mail.lowercased], call)
            return prove.code == "7KQ2-M9XA"
                ? ProveEmailChange.Answer.proved(proof: "expires=1&key=2", address: "zoe@new.example") : .wrong
        case let undo as UndoEmailChange:
            _ = undo
            try await enter("undoEmailChange", [:], call)
            return ConfirmEmail.Answer.pending()
        case is ReadDisplayName: return String?.some("Zoë & Co")
        case let read as ReadOwnCredentials:
            try await enter("readOwnCredentials", ["employee": read.caller.employeeId.lowercased], call)
            return OwnCredentials(
                employeePublicKey: [4], setAt: Self.time, acceptsAnswers: true, acceptsPassphrase: true)
        case let end as EndOtherSessions:
            try await enter("endOtherSessions", ["session": end.session?.lowercased ?? "all"], call)
            return ()
        case let list as ListConsents:
            try await enter("consents", ["browser": list.browser.id.lowercased], call)
            return [
                ConsentView(clientID: Self.appId, clientName: "Wiki", scopes: ["openid", "email"], givenAt: Self.time),
                ConsentView(
                    clientID: Self.employeeId, clientName: "Mail", scopes: ["openid", "offline_access"], givenAt: nil,
                    lastsUntil: Self.time),
            ]
        case let withdraw as WithdrawConsent:
            try await enter("withdrawConsent", ["client": withdraw.client.lowercased], call)
            return ()
        case let close as CloseBrowserSession:
            try await enter("closeBrowserSession", ["cookie": close.cookie], call)
            return ()
        case let cancel as CancelOwnRecovery:
            try await enter("cancelOwnRecovery", ["isSigned": "\(cancel.signed != nil)"], call)
            return decision
        default: return nil
        }
    }
}
