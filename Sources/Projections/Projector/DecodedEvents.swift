import Ledger

/// Events of one ledger on their way into views, and those among them that nobody can read.
struct DecodedEvents: Sendable {
    /// Why a view cannot take an event.
    struct Failure: Sendable, Equatable {
        let position: Int64
        let reason: String
    }

    /// The events that could be read, in order.
    private(set) var events: [ProjectedEvent] = []
    /// The position up to which all events were looked at.
    let end: Int64
    /// The events that could not be read, in order, with the types that their rows name.
    private var failures: [(type: String, failure: Failure)] = []

    init(_ page: EntryPage) {
        end = page.cursor
        events.reserveCapacity(page.entries.count)
        for entry in page.entries {
            do { events.append(try ProjectedEvent(try entry.event())) } catch {
                let failure = Failure(position: entry.position, reason: Failure.reason(error))
                failures.append((entry.type, failure))
            }
        }
    }

    /// The first event after a position that a view would have to take and nobody can read.
    func failure(of model: any ReadModel.Type, after position: Int64) -> Failure? {
        failures.first { $0.failure.position > position && ReadModels.takes(model, $0.type) }?.failure
    }

    /// The events after a position that a view takes, up to the first that nobody can read.
    func events(for model: any ReadModel.Type, after position: Int64) -> [ProjectedEvent] {
        let end = failure(of: model, after: position)?.position ?? .max
        return events.filter { $0.position > position && $0.position < end && model.concerns($0) }
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
