/// A stable code of a problem document, with its HTTP status and what to say about it.
public struct ErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// The code as it appears on the wire, for example `answers.incorrect`.
    public let rawValue: String
    /// The HTTP status that belongs to the code.
    public let status: Int
    /// A short summary, the same every time.
    public let title: String
    /// What the caller can do about it.
    public let advice: String

    init(_ rawValue: String, _ status: Int, _ title: String, _ advice: String) {
        self.rawValue = rawValue
        self.status = status
        self.title = title
        self.advice = advice
    }

    /// The code alone.
    public var description: String { rawValue }

    /// The code of that name, or nil when there is none.
    public init?(rawValue: String) {
        guard let code = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// Codes are equal when their names are.
    public static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Every code, in the order of the statuses.
    public static let all: [ErrorCode] = badRequests + callers + refusals + absences + conflicts + waits
}
