import AccessTokens
import Canonical
import Synchronization
import Testing

@testable import TenureTokens

@Suite struct KeyCacheTests {
    let issuer = PublishedIssuer()
    private var both: [String] { [issuer.metadata, issuer.jwks] }

    @Test func `keys are cached for their lifetime`() async throws {
        let verifier = try issuer.verifier()
        for _ in 0..<5 { #expect(await verifier.reason(try issuer.token()) == nil) }
        #expect(issuer.fetched() == both)
        issuer.advance(299)
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == [])
        issuer.advance(1)
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == both)
    }

    @Test(
        arguments: [
            ("", 300), ("public, max-age=120", 120), ("MAX-AGE=\"120\"", 120), ("max-age = 120 , public", 120),
            ("max-age=0", 60), ("max-age=59", 60), ("max-age=3601", 3_600), ("max-age=99999999999999999999", 60),
            ("no-store", 60), ("max-age=600, no-cache", 60), ("max-age", 60), ("max-age=-5", 60), ("s-maxage=900", 300),
        ] as [(String, Int64)])
    func `the lifetime is max-age within a minute and an hour`(cacheControl: String, lifetime: Int64) async throws {
        issuer.change { $0.cacheControl = cacheControl }
        let verifier = try issuer.verifier()
        #expect(await verifier.reason(try issuer.token()) == nil)
        issuer.advance(lifetime - 1)
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == both)
        issuer.advance(1)
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == both)
    }

    @Test func `copies share the cache`() async throws {
        let verifier = try issuer.verifier()
        let copy = verifier
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(await copy.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == both)
    }

    @Test func `a new key is fetched when the first token names it`() async throws {
        let verifier = try issuer.verifier()
        let old = try issuer.token()
        #expect(await verifier.reason(old) == nil)
        issuer.advance(10)
        issuer.change { $0.keys.append(TokenSigningKey()) }
        _ = issuer.fetched()
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == both)
        #expect(await verifier.reason(old) == nil)
        #expect(await verifier.reason(try issuer.token()) == nil)
        #expect(issuer.fetched() == [])
    }

    @Test func `tokens of unknown keys fetch at most every ten seconds`() async throws {
        let verifier = try issuer.verifier()
        #expect(await verifier.reason(try issuer.token()) == nil)
        _ = issuer.fetched()
        for _ in 0..<20 {
            #expect(await verifier.invalid(try issuer.token(by: TokenSigningKey())) == .keyUnknown)
        }
        #expect(issuer.fetched() == [])
        issuer.advance(10)
        for _ in 0..<20 {
            #expect(await verifier.invalid(try issuer.token(by: TokenSigningKey())) == .keyUnknown)
        }
        #expect(issuer.fetched() == both)
    }

    @Test func `other tokens that are refused never fetch`() async throws {
        let verifier = try issuer.verifier()
        let good = try issuer.token()
        #expect(await verifier.reason(good) == nil)
        issuer.advance(10)
        _ = issuer.fetched()
        let elsewhere = try issuer.token(by: TokenSigningKey(), issuer: "https://evil.example")
        #expect(await verifier.invalid(elsewhere) == .keyUnknown)
        #expect(await verifier.invalid(try issuer.token(audience: "urn:other")) == .audience)
        #expect(await verifier.invalid(good + "A") == .signature)
        #expect(await verifier.invalid("opaque") == .malformed)
        #expect(issuer.fetched() == [])
    }

    @Test func `a withdrawn key is refused at the end of the lifetime`() async throws {
        let withdrawn = TokenSigningKey()
        issuer.change { $0.keys = [withdrawn] }
        let verifier = try issuer.verifier()
        #expect(await verifier.reason(try issuer.token()) == nil)
        issuer.change { $0.keys = [TokenSigningKey()] }
        issuer.advance(299)
        #expect(await verifier.reason(try issuer.token(by: withdrawn)) == nil)
        issuer.advance(1)
        #expect(await verifier.invalid(try issuer.token(by: withdrawn)) == .keyUnknown)
    }

    @Test func `keys past their lifetime are used for an hour while the issuer is away`() async throws {
        let verifier = try issuer.verifier()
        #expect(await verifier.reason(try issuer.token()) == nil)
        issuer.change { $0.isAway = true }
        issuer.advance(300)
        #expect(await verifier.reason(try issuer.token()) == nil)
        issuer.advance(3_599)
        #expect(await verifier.reason(try issuer.token()) == nil)
        issuer.advance(1)
        #expect(await verifier.unavailable(try issuer.token()) == .unreachable)
        issuer.change { $0.isAway = false }
        issuer.advance(10)
        #expect(await verifier.reason(try issuer.token()) == nil)
    }

    @Test func `without keys an absent issuer is asked again after ten seconds`() async throws {
        let verifier = try issuer.verifier()
        issuer.change { $0.isAway = true }
        for _ in 0..<5 { #expect(await verifier.unavailable(try issuer.token()) == .unreachable) }
        #expect(issuer.fetched() == [issuer.metadata])
        issuer.change { $0.isAway = false }
        issuer.advance(9)
        #expect(await verifier.unavailable(try issuer.token()) == .unreachable)
        issuer.advance(1)
        #expect(await verifier.reason(try issuer.token()) == nil)
    }

    @Test func `many callers share one fetch`() async throws {
        let callers = Callers()
        // The first document waits until all callers are on their way.
        let verifier = try issuer.verifier(before: {
            while callers.begun.withLock({ $0 }) < 50 { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
        })
        let token = try issuer.token()
        await withTaskGroup(of: BearerRefusal.Reason?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    callers.begun.withLock { $0 += 1 }
                    return await verifier.reason(token)
                }
            }
            for await reason in group { #expect(reason == nil) }
        }
        #expect(issuer.fetched() == both)
    }

    @Test func `a caller that is cancelled leaves the fetch to the others`() async throws {
        let verifier = try issuer.verifier()
        let token = try issuer.token()
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await verifier.reason(token)
        }
        #expect(await cancelled.value == nil)
        #expect(await verifier.reason(token) == nil)
        #expect(issuer.fetched() == both)
    }
}

/// How many callers are on their way.
private final class Callers: Sendable {
    let begun = Mutex(0)
}
