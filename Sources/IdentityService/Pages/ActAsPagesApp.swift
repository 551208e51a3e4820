import EventCoding
import Identity

/// Finds the app that the pages act as: the one registered app whose secret the service has.
///
/// The pages get no right that this app does not have. Its caller counts attempts for each network of client addresses,
/// because all people who use pages come through it.
package struct ActAsPagesApp: UseCase {
    package init() {}

    /// Returns the app; `nil` without pages.
    package func run(_ run: UseCaseRun<AppCaller?>) async throws -> AppCaller? {
        guard let caller = try await caller(run, isFresh: false) else {
            // The secret may have been replaced since it was read.
            return try await caller(run, isFresh: true)
        }
        return caller
    }

    private func caller(_ run: UseCaseRun<AppCaller?>, isFresh: Bool) async throws -> AppCaller? {
        let context = run.context
        guard let secret = try await context.pages.secret.current(at: run.call.time, isFresh: isFresh) else {
            return nil
        }
        let app = try await StateLoader(reader: context.reader).app(AppID(secret.app))
        // Only the operator's signature makes an app that of the pages, and puts a secret in force, whatever the row
        // says.
        guard app.state.isPagesApp else { return nil }
        return try? AppCaller(app, presenting: secret.text)
    }
}
