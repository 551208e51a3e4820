import Canonical
import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TenureClient {
    /// The credential that the service shows in a flow, as this device would pin it. Whoever has another one pinned asks
    /// the person before accepting it.
    ///
    /// - Parameters:
    ///   - flow: The flow, whose key this device has proved.
    ///   - asked: The outcome of ``proveKey(_:key:)``.
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` when it shows none, or another one than
    ///   the challenge names.
    public func shownCredentials(_ flow: Flow, _ asked: FlowOutcomeResponse) throws(TenureClientError) -> CredentialPin
    {
        try checked(flow, Opening(asked)).shown
    }

    /// The same with the challenge that names it.
    func checked(
        _ flow: Flow, _ opening: Opening
    ) throws(TenureClientError) -> (challenge: Challenge, shown: CredentialPin) {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        let context = opening.context
        // A login's or a change's challenge names the credential; a registration's names one that nobody has yet.
        guard flow.purpose == .registration || challenge.fields.credential == context.credentialId else {
            throw TenureClientError(.signingRefused)
        }
        let shown = CredentialPin(
            tenant: challenge.fields.tenant, credentialId: context.credentialId, recordHash: opening.recordHash,
            contextHash: context.hash)
        return (challenge, shown)
    }

    /// What the service told of the credential, read strictly.
    struct Opening {
        let context: OpeningContext
        let recordHash: [UInt8]

        init(_ asked: FlowOutcomeResponse) throws(TenureClientError) {
            let opening: OpeningResponse?
            switch asked {
            case .validateAnswers(_, _, let told), .validatePassphrase(_, _, let told): opening = told
            default: opening = nil
            }
            guard let opening, opening.recordHash.count == 32,
                let context = try? OpeningContext(bytes: opening.context)
            else { throw TenureClientError(.signingRefused) }
            self.context = context
            recordHash = opening.recordHash
        }
    }
}
