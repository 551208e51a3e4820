/// What the pages say about registration before anybody enters anything.
package struct RegistrationTerms: Sendable, Equatable {
    /// Who may found a tenant.
    package let founding: FoundingRule
    /// Whether the service sends mails. Without them only another device or the operator helps a founder back.
    package let sendsMails: Bool
}

/// Reads the terms of registration on the hosted pages.
package struct ReadRegistrationTerms: UseCase {
    package init() {}

    /// Returns the terms of this service.
    package func run(_ run: UseCaseRun<RegistrationTerms>) async throws -> RegistrationTerms {
        RegistrationTerms(founding: run.context.settings.founding, sendsMails: run.context.mail != nil)
    }
}
