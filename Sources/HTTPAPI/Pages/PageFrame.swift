import Mustache

/// What every page has around its content: the operator's name, logo and links. Templates name it `brand`.
struct PageFrame: MustacheParent, Sendable {
    /// The frame of the request that is answered. A page is made in many places, and none of them chooses its frame.
    @TaskLocal static var current = PageFrame(brand: BrandAssets(.init()))

    let brand: BrandAssets

    func child(named name: String) -> Any? {
        switch name {
        case "name": brand.brand.name.escapable
        case "style": brand.stylePath
        case "logo": brand.logoPath
        case "contact": brand.brand.contact?.escapable
        case "imprint": brand.brand.imprint?.escapable
        case "privacy": brand.brand.privacy?.escapable
        default: nil
        }
    }
}
