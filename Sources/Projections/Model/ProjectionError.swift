/// Why a view could not be read, followed or rebuilt; `description` is safe to show a stranger.
public struct ProjectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable identifier of a failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `view.unreadable`.
        public let rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// A row of a view does not hold what this program writes: it is to be rebuilt.
        public static let unreadable = Code(rawValue: "view.unreadable")
        /// The database has no generation of this view: it is not migrated to this version.
        public static let unknownView = Code(rawValue: "view.unknown")
        /// Another program switched or dropped the generation that was being built.
        public static let superseded = Code(rawValue: "view.superseded")
        /// A later version of the program has built the view: this one neither follows nor rebuilds it.
        public static let outlived = Code(rawValue: "view.outlived")
        /// The new generation stops at an event that the live one has taken, so it cannot replace it.
        public static let incomplete = Code(rawValue: "view.incomplete")
    }

    /// What is wrong.
    public let code: Code
    /// One clause for a person, without data.
    public let reason: String

    /// Makes an error; `reason` must not hold data.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }

    static func unreadable(_ column: Int) -> ProjectionError {
        ProjectionError(.unreadable, "column \(column) of a row of a view is not as this program writes it")
    }
}
