import Canonical

/// The comparison words of a device key's fingerprint, which people compare on two screens or by telephone.
///
/// Each of the first eight bytes is one of 256 words, which differ in their first four letters at the latest. They are
/// the same in every language and every tool. Somebody who wants a key with the words of another one has to try 2^64
/// keys. A client makes them from the fingerprint that it computed itself, and does not take them from a reply.
///
/// ```swift
/// print(FingerprintWords(hex: pending.fingerprint).text)  // Prints "harbour market tulip …".
/// ```
public struct FingerprintWords: Sendable, Equatable {
    /// How many words a fingerprint has.
    public static let count = 8
    /// The words, in the order in which they are read.
    public let words: [String]

    /// - Parameter fingerprint: The SHA-256 of the device key, 32 bytes.
    public init(_ fingerprint: [UInt8]) {
        words = fingerprint.prefix(Self.count).map { Self.list[Int($0)] }
    }

    /// - Parameter hex: The fingerprint in hexadecimal; a text of another form has no words.
    public init(hex: String) { self.init(Hex.decode(hex) ?? []) }

    /// The words with spaces between them.
    public var text: String { words.joined(separator: " ") }

    /// The words of the bytes 0 to 255. People have written them down, so the list never changes.
    public static let list = """
        acorn amber anchor apple apron arrow atlas autumn badge bakery bamboo banjo barrel basin basket beacon
        beetle berry bicycle biscuit blanket blossom bottle branch bread bridge broom bucket button cabin cactus
        camel candle canoe canvas carpet carrot castle cedar cello chalk cherry circus citrus cliff clock clover
        cobalt coconut comet compass copper coral cotton cradle crane crayon cricket crystal cup curtain daisy
        dancer desert diamond dinner dolphin donkey door dragon drawer drum eagle easel echo elbow elephant ember
        engine falcon farmer feather fence ferry fiddle field finger flame flute forest fossil fountain fox garden
        garlic ginger giraffe glacier glove goblet gold grape gravel guitar hammer harbour harvest hazel helmet hill
        honey horse hotel iceberg igloo insect island ivory jacket jasmine jewel jigsaw juniper kettle kitchen kite
        knot ladder lagoon lantern lemon letter lily lion lobster lotus magnet maple marble market meadow melon
        mirror mitten monkey moon morning mosaic mountain museum mustard napkin needle nest north nutmeg oasis ocean
        olive onion orange orchard organ otter owl oyster paddle palace panda paper parrot peach pearl pebble pencil
        pepper piano pickle pigeon pillow pine planet plum pocket pond potato puddle pumpkin puzzle pyramid quartz
        quilt rabbit radio raft rainbow raven ribbon river robin rocket rose ruby saddle salmon sand scarf school
        sesame shell silver sketch sled snow spider spoon spring star stone street sugar summer sunset swan table
        tango teapot temple thunder ticket tiger tower train trumpet tulip tunnel turtle umbrella valley vanilla
        velvet violin volcano waffle wagon walnut whale whistle willow window winter wolf yellow yogurt zebra zipper
        """.split(whereSeparator: \.isWhitespace).map(String.init)
}
