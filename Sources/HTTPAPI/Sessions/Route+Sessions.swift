import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/sessions/refresh`. The refresh token is the only credential that is needed. An app that presents its
    /// secret as well gets the same reply twice, if it refreshes twice at once.
    static let refreshSession = Route(.refreshSession) { exchange in
        let request = try exchange.read(SessionRefreshRequest.self)
        let app = try await exchange.presentedApp()
        return try await exchange.reply(to: RefreshSession(refreshToken: request.refreshToken, app: app)) { .json($0) }
    }

    static let closeSession = Route(.closeSession) { exchange in
        try await exchange.run(CloseSession(caller: exchange.employee()))
        return .noContent
    }

    static let listSessions = Route(.listSessions) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let sessions = try await exchange.run(ListSessions(caller: exchange.employee()))
        return .json(PageResponse(items: sessions))
    }

    static let endSessions = Route(.endSessions) { exchange in
        try await exchange.run(EndOwnSessions(caller: exchange.employee()))
        return .noContent
    }

    static let readMe = Route(.readMe) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(try await exchange.run(ReadMe(caller: exchange.employee())))
    }
}
