import Canonical
import Foundation
@testable import Identity
import Postgres
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct LinkedCompanyTests {
    @Test func `an app's tenants are found by the index of linked apps, however many tenants there are`() async throws {
        try await Stage.run { stage in
            let app = AppID(UUID())
            try await insert(2_000, linking: [], stage)
            try await insert(1, linking: [app], stage)
            try await insert(1, linking: [AppID(UUID()), app], stage)
            try await stage.execute("ANALYZE tenure.tenants")
            let start = Timestamp(microseconds: 0)
            let found = try await LinkedCompany.page(of: app, after: start, limit: 9, stage.readers)
            #expect(found.count == 2)
            #expect(try await LinkedCompany.page(of: AppID(UUID()), after: start, limit: 9, stage.readers) == [])
            let plan = try await stage.readers.withConnection { connection in
                try await connection.query("EXPLAIN \(LinkedCompany.query(of: app, after: start, limit: 9))")
                    .map { try $0.decode(String.self) }.joined(separator: "\n")
            }
            #expect(plan.contains("tenants_by_linked_app"), "\(plan)")
        }
    }

    /// Adds rows of the projection, each of a tenant that links these apps, or some other one.
    private func insert(_ count: Int, linking apps: [AppID], _ stage: Stage) async throws {
        let linked = apps.isEmpty ? "" : "[\(apps.map { "\"\($0.uuid.lowercased)\"" }.joined(separator: ","))]"
        try await stage.execute(
            """
            INSERT INTO tenure.tenants (ledger_id, generation, company_name, founded_at, employees, key_authorization,
                approval, blind_only, questions_with_passphrase, linked_apps, security_admin_id, changed_position)
            SELECT gen_random_uuid(), 1, 'company-' || number, now() + number * interval '1 s', 1, 'application',
                'automatic', false, false,
                coalesce(nullif(\(linked), '')::json, json_build_array(gen_random_uuid())), gen_random_uuid(), 1
            FROM generate_series(1, \(Int64(count))) AS number
            """)
    }
}
