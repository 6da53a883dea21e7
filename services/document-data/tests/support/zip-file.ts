import { crc32, deflateRawSync } from 'node:zlib'

/**
 * A zip file made by hand, so that it can lie. Text is compressed; bytes stand in it as they are, as if they were.
 * @param sizes what it says of how large a part is when it is unpacked
 */
export function zipOf(
  parts: Readonly<Record<string, string | Buffer>>,
  sizes: Readonly<Record<string, number>> = {},
): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const isText = typeof content === 'string'
    const packed = isText ? deflateRawSync(content) : content
    const size = sizes[name] ?? Buffer.byteLength(content)
    const facts = Buffer.alloc(22)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(isText ? crc32(content) : 0, 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(size, 18)
    const lengths = Buffer.alloc(4)
    lengths.writeUInt16LE(Buffer.byteLength(name), 0)
    const file = Buffer.concat([
      Buffer.from('PK\x03\x04'),
      facts,
      lengths,
      Buffer.from(name),
      packed,
    ])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, lengths, rest, Buffer.from(name)]),
    )
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, list, Buffer.from('PK\x05\x06'), end])
}
