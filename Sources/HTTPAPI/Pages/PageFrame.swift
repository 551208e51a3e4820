import IdentityService
import Mustache
import TenureAPI

/// What every page has around its content: the operator's name, logo and links, and the languages.
struct PageFrame: Sendable {
    /// The frame of the request that is answered. A page is made in many places, and none of them chooses its frame.
    @TaskLocal static var current = PageFrame(brand: BrandAssets(.init()))

    let brand: BrandAssets
    /// Path and query of the request, to which a change of the language leads back.
    var address = "/"
    /// The client from which the reader comes, which the title of the tab names; `nil` for none.
    var client: String?

    /// The frame as templates name it: `brand`.
    struct Shown: MustacheParent {
        let frame: PageFrame
        let language: PageLanguage
        /// Whether the page may lead back to the query of the request.
        var repeatsQuery = true

        private var languages: [Language] {
            guard repeatsQuery || !frame.address.contains("?") else { return [] }
            return PageLanguage.allCases.map { Language($0, of: self) }
        }

        func child(named name: String) -> Any? {
            let brand = frame.brand.brand
            return switch name {
            case "name": brand.name.escapable
            case "style": frame.brand.stylePath
            case "logo": frame.brand.logoPath
            case "contact": brand.contact?.escapable
            case "imprint": brand.imprint?.escapable
            case "privacy": brand.privacy?.escapable
            case "hasLanguages": !languages.isEmpty
            case "languages": languages
            default: nil
            }
        }
    }

    /// A link that changes the language.
    struct Language: PagePart {
        let tag: String
        /// The name of the language in itself.
        let own: String
        let link: String
        let isHere: Bool

        init(_ language: PageLanguage, of shown: Shown) {
            tag = language.rawValue
            own =
                switch language {
                case .english: "English"
                case .german: "Deutsch"
                case .french: "Français"
                }
            isHere = language == shown.language
            let query = FormEncoding.encode([("tag", language.rawValue), ("to", shown.frame.address)])
            link = "\(Endpoint.chooseLanguage.template.text)?\(String(decoding: query, as: UTF8.self))"
        }
    }
}
