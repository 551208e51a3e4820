import IdentityService
import TenureAPI
import TenureServer

extension Route {
    static let listMPinIdentities = Route(.listMPinIdentities) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let asked = try query.page()
        try query.finish()
        let page = try await exchange.run(
            ListMPinIdentities(
                company: exchange.company, asked, caller: exchange.caller(),
                waitFor: exchange.headers.waitFor()))
        return .page(page, asked, of: exchange)
    }
}
