import fc from 'fast-check'

/** A fragment of JSON text, valid or not, that serializing a JavaScript value never produces. */
class RawJson {
  constructor(readonly text: string) {}

  /** Representation in fast-check's reports. */
  toString(): string {
    return `RawJson(${this.text.slice(0, 200)})`
  }
}

/** Serializes a value that may contain raw fragments; undefined members and items are left out. */
export function toJsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJsonText(member)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

const nested = (open: string, close: string, depth: number) =>
  new RawJson(open.repeat(depth) + close.repeat(depth))

/**
 * Injection attempts. SQL is in lower case here, so that upper-case SQL in a reply must come from the server.
 */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'id',
  'ID',
  'manualSort',
  'gristHelper_Display',
  '_grist_Tables',
  '_grist_Tables_column',
  '_sheaf_log',
  'sqlite_master',
  "' or 1=1 --",
  'Name"; drop table Plants; --',
  '"Name"',
  '[Name]',
  '$1',
  '?1',
  '%',
  '*',
  '../../etc/passwd',
  'a/b',
  '\u0000',
  'a\u0000b',
  '\ufeff',
  '\u202e',
  'é'.repeat(3),
  '😀',
  '-',
  '--',
  'Name,',
  ',,,',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '1e999',
  '9007199254740993',
  '-1',
  'true',
  '{}',
  '[]',
  '{"Name":',
  'x'.repeat(300),
  'x'.repeat(5_000),
]

/** Values that a careless JSON parser mishandles. */
const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  -0.0001,
  Number.MAX_SAFE_INTEGER + 2,
  2 ** 63,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[]],
  [null],
  ['L'],
  ['L', ['L']],
  ['O', { a: 1 }],
  ['E', 'ValueError', 'x'],
  ['d', 1e20],
  ['D', 0, 'Nowhere/City'],
  ['R', 'Plants', 1],
  ['r', 'Plants', [1]],
  ['?'],
  { id: 1 },
  new RawJson('-0'),
  new RawJson('1e400'),
  new RawJson('-1e400'),
  new RawJson('1'.repeat(400)),
  new RawJson('0.' + '1'.repeat(400)),
  new RawJson('"\\ud800"'),
  new RawJson('"\\udc00x"'),
  new RawJson('"\\u0000"'),
  new RawJson('{"a":1,"a":2}'),
  new RawJson('{"fields":{"Name":"a","Name":"b"},"fields":{"Height":1}}'),
  new RawJson('{"__proto__":{"admin":true}}'),
  new RawJson('{"__proto__":null}'),
  new RawJson('{"constructor":{"prototype":{"x":1}}}'),
  nested('[', ']', 60),
  nested('[', ']', 20_000),
  nested('{"a":', '}', 3_000),
  // Not JSON at all.
  new RawJson('NaN'),
  new RawJson('undefined'),
  new RawJson("'x'"),
  new RawJson('01'),
  new RawJson('"\n"'),
  new RawJson(''),
]

/** A malicious text, or any other. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)

/** A malicious value, or any other. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileValues) },
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.double() },
)
