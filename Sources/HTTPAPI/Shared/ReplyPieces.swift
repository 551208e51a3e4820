/// Makes the pieces of a reply's body one by one, for a client that stays and listens.
protocol ReplyPieces: AnyObject, Sendable {
    /// The next piece; `nil` ends the body. It is called again only after the piece was written.
    func next() async -> [UInt8]?
}
