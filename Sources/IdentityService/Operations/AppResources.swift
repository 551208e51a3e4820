import ErrorCodes
import EventCoding
public import FoundationEssentials
import Identity
import Ledger

extension OperatorUseCases {
    /// Registers a resource of an app (RFC 8707): employees' tokens can then be meant for it. Does nothing if the app
    /// has it.
    ///
    /// - Parameter resource: An absolute URI without a fragment, at most 255 bytes. It is kept and compared as given.
    /// - Throws: `app.unknown`, `request.invalid` for another text or a 33rd resource, or ``OperatorKeyError``.
    public func addResource(appId: UUID, resource: String) async throws {
        try await decide(appId, resource) { .addResource($0, $1) }
    }

    /// Removes a resource of an app: introspection refuses tokens for it from now on. No session ends.
    ///
    /// - Throws: `app.unknown`, `request.invalid` if the app has no such resource, or ``OperatorKeyError``.
    public func removeResource(appId: UUID, resource: String) async throws {
        try await decide(appId, resource) { .removeResource($0, $1) }
    }

    private func decide(
        _ appId: UUID, _ text: String, _ command: (ResourceIndicator, AuthorityDecision) -> App.Command
    ) async throws {
        let resource = try parsed { () throws(ValueError) in try ResourceIndicator(text) }
        try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            let events = try await signing.decide(on: .app(app.id)) { decision throws(ServiceError) in
                do throws(App.Rejection) {
                    return try App.decide(app.state, command(resource, decision))
                } catch {
                    throw Self.refusal(error)
                }
            }
            try await append(events.map(\.payload), to: .app(app.id), version: app.version)
        }
    }

    /// The refusal of a decision about a resource, with what to do next.
    private static func refusal(_ rejection: App.Rejection) -> ServiceError {
        let detail: String? =
            switch rejection {
            case .unknownResource: "the app has no such resource; tenure app list shows those that it has"
            case .tooManyResources: "the app has \(App.maximumResources) resources, and can have no more; remove one"
            default: nil
            }
        guard let detail else { return ServiceError(rejection) }
        return ServiceError(.requestInvalid, members: [.init(pointer: "/resource", detail: detail)])
    }
}
