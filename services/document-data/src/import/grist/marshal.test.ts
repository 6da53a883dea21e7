import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { MarshalDict, MarshalError, readMarshal, type MarshalValue } from './marshal'

const bounds = { depth: 100, size: 1_000_000 }

/** What Python makes of values that are given as Python expressions: the bytes of each, in every version. */
function marshalled(expressions: readonly string[]): Buffer[][] {
  const program = `
import json, marshal, sys
for line in json.load(sys.stdin):
    value = eval(line)
    versions = range(3 if line.startswith("(lambda f: f(f, 40))") else 0, marshal.version + 1)
    print(json.dumps([marshal.dumps(value, version).hex() for version in versions]))`
  const output = execFileSync('python3', ['-c', program], {
    input: JSON.stringify(expressions),
    maxBuffer: 256 * 1024 * 1024,
  })
  return output
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as string[]).map((hex) => Buffer.from(hex, 'hex')))
}

/** A value, and the Python expression for it. */
type Case = readonly [MarshalValue, string]

const leaf: fc.Arbitrary<Case> = fc.oneof(
  fc.constantFrom<Case>([null, 'None'], [true, 'True'], [false, 'False'], [-0, '-0.0']),
  fc.constantFrom<Case>(
    [NaN, "float('nan')"],
    [Infinity, "float('inf')"],
    [-Infinity, "-float('inf')"],
  ),
  fc.maxSafeInteger().map((value): Case => [value, String(value)]),
  fc
    .bigInt()
    .map((value): Case => [
      Number.isSafeInteger(Number(value)) ? Number(value) : value,
      String(value),
    ]),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): Case => [value, `float.fromhex('${hexOf(value)}')`]),
  fc
    .string({ unit: 'binary', maxLength: 300 })
    .map((text): Case => [text, `bytes.fromhex('${Buffer.from(text).toString('hex')}').decode()`]),
  fc
    .uint8Array()
    .map((bytes): Case => [
      Buffer.from(bytes),
      `bytes.fromhex('${Buffer.from(bytes).toString('hex')}')`,
    ]),
)

/** Text of a double that Python reads without loss. */
function hexOf(value: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  const bits = bytes.readBigUInt64BE()
  const fraction = (bits & ((1n << 52n) - 1n)).toString(16).padStart(13, '0')
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const sign = bits >> 63n === 0n ? '' : '-'
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction}p${Math.max(exponent, 1) - 1023}`
}

const { tree } = fc.letrec<{ tree: Case }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc
      .array(tie('tree'), { maxLength: 5 })
      .map((items): Case => [
        items.map(([item]) => item),
        `[${items.map(([, text]) => text).join()}]`,
      ]),
    fc
      .array(tie('tree'), { maxLength: 3 })
      .map((items): Case => [
        items.map(([item]) => item),
        `(${items.map(([, text]) => `${text},`).join('')})`,
      ]),
    fc
      .uniqueArray(fc.tuple(fc.nat(), tie('tree')), { selector: ([key]) => key, maxLength: 4 })
      .map((entries): Case => [
        new MarshalDict(entries.map(([key, [value]]) => [key, value])),
        `{${entries.map(([key, [, text]]) => `${key}:${text}`).join()}}`,
      ]),
  ),
}))

/** Reads bytes; undefined when they are refused with the only error. */
function attempt(bytes: Buffer, within = bounds): MarshalValue | undefined {
  try {
    return readMarshal(bytes, within)
  } catch (error) {
    expect(error).toBeInstanceOf(MarshalError)
    return undefined
  }
}

/** Values and bytes of text that a value has when it is written out. */
function sizeOf(value: MarshalValue): number {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return 1 + value.length
  const items = value instanceof MarshalDict ? value.entries.flat() : value
  return Array.isArray(items) ? items.reduce<number>((sum, item) => sum + sizeOf(item), 1) : 1
}

describe('readMarshal', () => {
  it('reads what Python has written, in every version of the format', () => {
    const cases = fc.sample(tree, { numRuns: 400, seed: 7 })
    const written = marshalled(cases.map(([, text]) => text))
    cases.forEach(([value], i) => {
      expect(written[i]?.length).toBeGreaterThanOrEqual(5)
      for (const bytes of written[i] ?? []) expect(readMarshal(bytes, bounds)).toEqual(value)
    })
  })

  it('reads repeated texts, sets and lone surrogates', () => {
    const [texts, set, lone] = marshalled([
      '[__import__("sys").intern("ab")] * 3',
      'frozenset([7])',
      '"a\\ud800b"',
    ])
    for (const bytes of texts ?? []) expect(readMarshal(bytes, bounds)).toEqual(['ab', 'ab', 'ab'])
    for (const bytes of set ?? []) expect(readMarshal(bytes, bounds)).toEqual([7])
    for (const bytes of lone ?? [])
      expect(readMarshal(bytes, bounds)).toEqual('a\ufffd\ufffd\ufffdb')
  })

  it('refuses what is too large or too deep when it is written out, and what contains itself', () => {
    const [doubling = [], deep = [], code = []] = marshalled([
      '(lambda f: f(f, 40))(lambda f, n: [] if n == 0 else [f(f, n - 1)] * 2)',
      '(lambda f: f(f, 200))(lambda f, n: [] if n == 0 else [f(f, n - 1)])',
      '(lambda: 1).__code__',
    ])
    // Since version 3 a value is written once, however often it occurs.
    const [short] = doubling.slice(-1)
    expect(short?.length).toBeLessThan(1000)
    for (const bytes of [...doubling.slice(-1), ...deep, ...code])
      expect(attempt(bytes)).toBeUndefined()
    // A list whose only item is the list, and one that announces two thousand million items.
    expect(attempt(Buffer.from('db010000007200000000', 'hex'))).toBeUndefined()
    expect(attempt(Buffer.from('5bffffff7f', 'hex'))).toBeUndefined()
  })

  it('throws nothing but its error for any bytes, and never exceeds its bounds', () => {
    const codes = Array.from('0NTFiIlgfs([<>){uaAzZtRrc.S?', (code) => code.charCodeAt(0))
    const byte = fc.oneof(
      fc.nat(255),
      fc.constantFrom(...codes, ...codes.map((code) => code | 0x80)),
      fc.constantFrom(0, 0, 0, 1, 2),
    )
    const within = { depth: 5, size: 200 }
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 200 }), (bytes) => {
        const value = attempt(Buffer.from(bytes), within)
        if (value !== undefined) expect(sizeOf(value)).toBeLessThanOrEqual(within.size)
      }),
      { numRuns: 20_000 },
    )
  })

  it('throws nothing but its error for bytes of Python of which some are changed or cut off', () => {
    const written = marshalled(fc.sample(tree, { numRuns: 60, seed: 11 }).map(([, text]) => text))
    const any = fc.constantFrom(...written.flat())
    fc.assert(
      fc.property(any, fc.nat(), fc.nat(255), fc.boolean(), (bytes, at, byte, isCut) => {
        const changed = Buffer.from(bytes)
        if (changed.length > 0) changed[at % changed.length] = byte
        attempt(isCut ? changed.subarray(0, at % (changed.length + 1)) : changed)
      }),
      { numRuns: 5_000 },
    )
  })
})
