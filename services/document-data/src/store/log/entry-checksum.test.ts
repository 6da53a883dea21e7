import fc from 'fast-check'
import { entryChecksum, matchesChecksum, type EntryCells } from './entry-checksum'

const entry: EntryCells = {
  seq: 7,
  lsn: 9,
  time: 1_767_225_600_000,
  user: 3,
  keyId: 5,
  cause: 1,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tables: '[1,2]',
  operations: '[{"kind":"update_rows","columns":[{"new":["été",1.5,null]}]}]',
}

/** The entry with one bit of a column changed, as by a failing disk. */
function withBitFlipped(name: keyof EntryCells, bit: number): EntryCells {
  const bytes = Buffer.from(String(entry[name]))
  const at = (bit >> 3) % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
  return { ...entry, [name]: bytes.toString() }
}

describe('the checksum of a log entry', () => {
  it('notices a changed bit in any column', () => {
    const checksum = entryChecksum(entry)
    expect(matchesChecksum({ ...entry, checksum })).toBe(true)
    const names = Object.keys(entry) as (keyof EntryCells)[]
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, bit) => {
        expect(matchesChecksum({ ...withBitFlipped(name, bit), checksum })).toBe(false)
      }),
    )
  })

  it('of an entry without a key is that of releases that did not store keys', () => {
    expect(entryChecksum({ ...entry, keyId: 0 })).toBe(2_100_546_480)
  })

  it('is not required of entries of older releases', () => {
    expect(matchesChecksum({ ...entry, checksum: null })).toBe(true)
  })
})
