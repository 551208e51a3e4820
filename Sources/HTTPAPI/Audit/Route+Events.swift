import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    static let listEvents = Route(.listEvents) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let asked = try query.page(upTo: 500, usual: 100)
        let type = query.text("type")
        let employee = query.text("employee")
        let asOf = try query.timestamp("as_of")
        try query.finish()
        let page = try await exchange.run(
            PageEntries(
                company: exchange.company,
                query: EventQuery(asked, type: type, employee: employee, asOf: asOf),
                caller: exchange.caller()))
        return .page(page, asked, of: exchange)
    }

    private static let plainText = "text/plain; charset=utf-8"

    /// `GET /v1/companies/{companyName}/checkpoint`. Replies with a signed note.
    static let readCheckpoint = Route(.readCheckpoint) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let note = try await exchange.run(ReadCheckpoint(company: exchange.company, caller: exchange.caller()))
        return .text(note, plainText)
    }

    /// `GET /v1/companies/{companyName}/tile/{tile}`. Replies with the bytes of one resource of a tiled log.
    static let readTile = Route(.readTile) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let bytes = try await exchange.run(
            ReadTile(path: exchange.captures["tile"], company: exchange.company, caller: exchange.caller()))
        guard let bytes else { throw Refusal(.routeUnknown) }
        return Reply(headers: ["Content-Type": "application/octet-stream"], body: bytes)
    }

    /// `GET /v1/companies/{companyName}/events/{position}/proof`. Replies with a self-contained inclusion proof.
    static let proveEvent = Route(.proveEvent) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        guard let position = Int64(decimal: exchange.captures["position"]), position > 0 else {
            throw Refusal.invalid(.parameter("position"), "a position is expected")
        }
        let proof = try await exchange.run(
            ProveEvent(position: position, company: exchange.company, caller: exchange.caller()))
        guard let proof else { throw Refusal(.routeUnknown) }
        return .text(proof, plainText)
    }

    static let anchor = Route(.anchor) { exchange in
        .text(try await exchange.run(ReadAnchor()), plainText)
    }
}
