import IdentityService
import TenureAPI

extension Route {
    /// `PATCH /v1/companies/{companyName}/policy`; `If-Match` holds the version that the caller has seen.
    static let changePolicy = Route(.changePolicy, body: .required) { exchange in
        let request = try exchange.read(PolicyChangeRequest.self)
        let change = PolicyChange(
            keyAuthorization: request.keyAuthorization?.rawValue, approval: request.approval?.rawValue,
            blindOnly: request.blindOnly, questionsWithPassphrase: request.questionsWithPassphrase)
        return .decision(
            try await exchange.service.changePolicy(
                of: exchange.company, change, ifMatch: EntityTag.version(ifMatch: exchange.headers),
                signed: request.signed.map { SignedStatement($0) }, caller: exchange.caller(), call: exchange.call))
    }
}
