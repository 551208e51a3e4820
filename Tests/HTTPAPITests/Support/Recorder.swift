import Canonical
import IdentityService

/// What the fake service was asked to do.
actor Recorder {
    /// One call of the service.
    struct Entry: Sendable {
        var name: String
        var details: [String: String] = [:]
        var call: Call?
    }

    private(set) var entries: [Entry] = []

    func add(_ entry: Entry) { entries.append(entry) }

    var last: Entry? { entries.last }

    /// The calls beside authentication.
    var work: [Entry] { entries.filter { !$0.name.hasPrefix("authenticate") } }
}
