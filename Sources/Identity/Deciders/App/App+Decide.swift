extension App {
    /// Takes an event into the state.
    public static func evolve(_ state: inout State, _ recorded: Recorded<AppEvent>) {
        switch recorded.event {
        case .registered(let event):
            state.id = event.appID
            state.name = event.name
            state.salt = event.salt
        case .secretIssued(let event):
            state.secrets[event.secretID] = Secret(
                id: event.secretID, roles: event.roles, digest: event.digest, authorityKey: event.authorityKey,
                issued: recorded.place)
        case .secretRevoked(let event): state.secrets[event.secretID]?.isRevoked = true
        }
    }

    /// The events that a command leads to; none when it asks for what is so already.
    public static func decide(_ state: State, _ command: Command) throws(Rejection) -> [AppEvent] {
        switch command {
        case .register(let id, let name, let salt):
            guard state.id == nil else { throw .alreadyRegistered }
            guard EventLimits.name.contains(name.utf8.count), !name.utf8.contains(0) else { throw .invalidName }
            return [.registered(AppRegistered(appID: id, name: name, salt: salt))]
        case .issueSecret(let secret, let roles, let digest, let key):
            guard let id = state.id else { throw .unknownApp }
            guard state.secrets[secret] == nil else { throw .secretExists }
            return [
                .secretIssued(
                    AppSecretIssued(appID: id, secretID: secret, roles: roles, digest: digest, authorityKey: key))
            ]
        case .revokeSecret(let secret):
            guard let id = state.id else { throw .unknownApp }
            guard let known = state.secrets[secret] else { throw .unknownSecret }
            return known.isRevoked ? [] : [.secretRevoked(AppSecretRevoked(appID: id, secretID: secret))]
        }
    }
}
