import Ledger

/// Events of one ledger on their way into views, up to the first that nobody can read.
struct DecodedEvents: Sendable {
    /// Why a view cannot take an event.
    struct Failure: Sendable, Equatable {
        let position: Int64
        let reason: String
    }

    /// The events that could be read, in order.
    private(set) var events: [ProjectedEvent] = []
    /// The position up to which all events were looked at.
    private(set) var end: Int64
    /// The event after ``end`` that could not be read.
    private(set) var failure: Failure?

    init(_ page: EntryPage) {
        end = page.cursor
        events.reserveCapacity(page.entries.count)
        for entry in page.entries {
            do { events.append(try ProjectedEvent(try entry.event())) } catch {
                end = entry.position - 1
                failure = Failure(position: entry.position, reason: Failure.reason(error))
                return
            }
        }
    }
}

extension DecodedEvents.Failure {
    /// What a row of the progress tells: codes and names, at most 200 characters.
    ///
    /// Errors of this package are made to be shown; others are named by their type only.
    static func reason(_ error: any Error) -> String {
        let text = (error as? any CustomStringConvertible)?.description ?? String(describing: type(of: error))
        return String(text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(200).map(Character.init))
    }
}
