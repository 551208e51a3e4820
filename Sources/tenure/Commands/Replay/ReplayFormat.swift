import ArgumentParser

/// What a replay prints.
enum ReplayFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// Aligned columns for a person.
    case table
    /// One JSON object per line.
    case ndjson
    /// Comma-separated values (RFC 4180), with a line of titles.
    case csv
    /// One CloudEvents 1.0 event in the JSON format per line.
    case cloudevents
}
