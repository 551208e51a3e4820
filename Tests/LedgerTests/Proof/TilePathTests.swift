import Ledger
import Testing

@Suite struct TilePathTests {
    @Test(arguments: [
        ("tile/0/000", TilePath(.hashes(level: 0), index: 0)),
        ("tile/0/x001/x234/067", TilePath(.hashes(level: 0), index: 1_234_067)),
        ("tile/2/000.p/1", TilePath(.hashes(level: 2), index: 0, width: 1)),
        ("tile/entries/x001/000.p/255", TilePath(.entries, index: 1_000, width: 255)),
    ])
    func `a path reads as what it is written from`(text: String, path: TilePath?) {
        #expect(path?.description == text)
        #expect(TilePath(text) == path)
    }

    @Test(arguments: [
        "", "tile", "tile/0", "tile/0/", "tile/0/0", "tile/00/000", "tile/-1/000", "tile/+1/000", "tile/7/000",
        "tile/0/0000", "tile/0/x000/001", "tile/0/001/000", "tile/0/y001/000", "tile/0/000.p/0", "tile/0/000.p/256",
        "tile/0/000.p/01", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/1/2", "tile/entry/000", "/tile/0/000",
        "tile/0/000/", "tile/0/x001.p/12", "tile/0/x-01/000", "tile/0/+01", "tile/entries/x999/x999/x999/x999/x999/999",
    ])
    func `another spelling is refused`(text: String) { #expect(TilePath(text) == nil) }

    /// The example of C2SP tlog-tiles: 70,000 entries.
    @Test func `a log of 70,000 entries has these resources`() {
        let leaves = TilePath.all(.hashes(level: 0), size: 70_000)
        #expect(leaves.count == 274 && leaves.last?.width == 112)
        let first = TilePath.all(.hashes(level: 1), size: 70_000)
        #expect(first.map(\.width) == [256, 17])
        #expect(TilePath.all(.hashes(level: 2), size: 70_000).map(\.width) == [1])
        #expect(TilePath.all(.hashes(level: 3), size: 70_000).isEmpty)
        #expect(TilePath.all(.hashes(level: 1), size: 256).map(\.description) == ["tile/1/000.p/1"])
        #expect(TilePath.all(.entries, size: 0).isEmpty)
    }

    @Test func `entries come back out of their bundle, and a cut bundle is refused`() throws {
        let entries = [[], [7], [UInt8](repeating: 9, count: 65_535)]
        let bytes = EntryBundle.encode(entries)
        #expect(try EntryBundle.decode(bytes) == entries)
        #expect(Array(bytes.prefix(5)) == [0, 0, 0, 1, 7])
        for length in [1, 3, 4, 6, bytes.count - 1] {
            #expect(throws: ProofError.self) { try EntryBundle.decode(Array(bytes.prefix(length))) }
        }
    }
}
