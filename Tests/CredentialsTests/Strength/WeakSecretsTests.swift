import Canonical
import Crypto
import Testing

@testable import Credentials

@Suite struct WeakSecretsTests {
    private let own = Question.own("Which harbour did you sail from?")

    private func reason(_ answer: String, to number: Int, after earlier: [String] = []) throws -> Weakness.Reason? {
        WeakSecrets.reason(
            against: answer, to: .listed(try #require(ListedQuestion(number: number))), after: earlier)
    }

    @Test func `an answer must differ from the earlier ones in canonical form`() throws {
        #expect(try reason("Ｒｅｘ  the dog ", to: 1, after: ["x ray", "REX the Dog"]) == .repeatedAnswer)
        #expect(try reason("Rex the dogs", to: 1, after: ["Rex the dog"]) == nil)
    }

    @Test(arguments: [
        ("City", 2), ("stadt", 2), ("VILLE", 2), ("né(e)", 2), ("mother's", 3), ("Mutter", 3), ("belle-mère", 43),
        ("In what city were you born?", 2), ("Comment s'appelait votre premier animal de compagnie ?", 1),
    ])
    func `an answer that is a word of its question is refused in every language`(answer: String, number: Int) throws {
        #expect(try reason(answer, to: number) == .partOfQuestion)
    }

    @Test func `a word of a user's own question is refused as well`() {
        #expect(WeakSecrets.reason(against: "HARBOUR", to: own) == .partOfQuestion)
        #expect(WeakSecrets.reason(against: "Harbour of Kiel", to: own) == nil)
    }

    @Test(arguments: ["pizza", " BLUE ", "Smith", "I  don't know", "weiß nicht", "FUSSBALL", "München", "1234", "n/a"])
    func `the commonest answers are refused`(answer: String) {
        #expect(WeakSecrets.reason(against: answer, to: own) == .commonAnswer)
    }

    @Test func `the list of common answers is short, and in canonical form`() {
        #expect((200...400).contains(CommonAnswers.all.count))
        for answer in CommonAnswers.all { #expect(WeakSecrets.folded(answer) == answer) }
    }

    @Test(arguments: ["password", "PassWord1", "12345678", " qwertyui", "iloveyou", "football1"])
    func `the commonest passphrases are refused, in any case`(passphrase: String) {
        #expect(WeakSecrets.reason(against: passphrase) == .commonPassphrase)
    }

    @Test(arguments: ["Correct horse battery staple", "long enough", "a passphrase", "qmzkvjxw", ""])
    func `an uncommon passphrase is accepted`(passphrase: String) {
        #expect(WeakSecrets.reason(against: passphrase) == nil)
    }

    @Test func `the table has 10,000 digests in ascending order`() {
        let digests = CommonPassphrases.digests
        #expect(digests.count == CommonPassphrases.count)
        #expect(zip(digests, digests.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `a set-up names every weak entry and no secret`() throws {
        let fixture = try Fixture.answers.get()
        var questions = Fixture.questions
        questions[1] = QuestionAndAnswer(question: "In what city were you born?", answer: "Stadt")
        questions[2].answer = questions[0].answer.uppercased()
        questions[4].answer = "Volkswagen"
        do {
            _ = try CredentialSetUp(plan: fixture.plan, questions: questions, passphrase: "Password1")
            Issue.record("weak secrets were accepted")
        } catch {
            #expect(error.code == .tooWeak)
            #expect(
                error.weaknesses == [
                    Weakness(place: .answer(1), reason: .partOfQuestion),
                    Weakness(place: .answer(2), reason: .repeatedAnswer),
                    Weakness(place: .answer(4), reason: .commonAnswer),
                    Weakness(place: .passphrase, reason: .commonPassphrase),
                ])
            for weakness in error.weaknesses {
                #expect(weakness.advice.contains(". "))
                #expect(!weakness.advice.contains("Password1") && !weakness.advice.contains("Volkswagen"))
            }
        }
    }
}
