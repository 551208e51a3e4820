@testable import Identity
import Testing

@Suite struct MPinUserIDTests {
    /// A user id as entered, and the form by which it is matched.
    @Test(arguments: [
        ("Zoe@Acme.Example", "zoe@acme.example"), (" zoe@acme.example ", "zoe@acme.example"),
        ("zoe@münchen.example", "zoe@xn--mnchen-3ya.example"), ("ZOE@MÜNCHEN.EXAMPLE", "zoe@xn--mnchen-3ya.example"),
        ("zoe@straße.example", "zoe@xn--strae-oqa.example"), ("zoe@strasse.example", "zoe@strasse.example"),
        ("E-1001", "e-1001"), ("e  1001", "e 1001"), ("Straße", "strasse"),
        ("204@acme.example.dummy-email", "204@acme.example.dummy-email"),
    ])
    func `the folded form is that by which user ids are matched`(entered: String, folded: String) throws {
        let userID = try MPinUserID(entered)
        #expect(userID.folded == folded && userID.entered == entered)
        #expect(try MPinUserID(folded) == userID)
        #expect(try MPinUserID(folded).folded == folded)
    }
}
