import IdentityService
import TenureAPI

extension Route {
    private static let plainText = "text/plain; charset=utf-8"

    /// `GET /v1/companies/{companyName}/checkpoint`: a signed note.
    static let readCheckpoint = Route(.readCheckpoint) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .text(
            try await exchange.service.checkpoint(of: exchange.company, caller: exchange.caller()), plainText)
    }

    /// `GET /v1/companies/{companyName}/tile/{tile}`: the bytes of one resource of a tiled log.
    static let readTile = Route(.readTile) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let bytes = try await exchange.service.tile(
            exchange.captures["tile"], of: exchange.company, caller: exchange.caller())
        guard let bytes else { throw Refusal(.routeUnknown) }
        return Reply(headers: ["Content-Type": "application/octet-stream"], body: bytes)
    }

    /// `GET /v1/companies/{companyName}/events/{position}/proof`: a file of its own.
    static let proveEvent = Route(.proveEvent) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        guard let position = Int64(decimal: exchange.captures["position"]), position > 0 else {
            throw Refusal.invalid(.parameter("position"), "a position is expected")
        }
        let proof = try await exchange.service.proof(
            of: position, company: exchange.company, caller: exchange.caller())
        guard let proof else { throw Refusal(.routeUnknown) }
        return .text(proof, plainText)
    }

    /// `GET /anchor`.
    static let anchor = Route(.anchor) { exchange in
        .text(try await exchange.service.anchor(), plainText)
    }
}
