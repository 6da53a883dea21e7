import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createBodies, spoil, vocabulary } from './bodies'
import { hostileText, hostileTexts, hostileValue, toJsonText } from './json-text'
import type { Operation, Operations } from './operations'

/**
 * A complete request; placeholders such as `{docId}` in its path stand for objects that the test has created.
 */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Only this many bytes of the body are sent before the connection is closed. */
  readonly cutAt?: number
}

const JSON_TYPE = 'application/json'

/** Small when compressed, and larger than the limit of any body when decompressed. */
const gzipBomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20))

/** Typical values of path parameters; small numbers for those not listed. */
export type Segments = Readonly<Record<string, fc.Arbitrary<string>>>

/** Generates requests for all operations: valid, nearly valid, and hostile ones. */
export function createRequests(
  described: Operations,
  segments: Segments,
): fc.Arbitrary<FuzzRequest> {
  const bodyOf = createBodies(described)
  return fc.constantFrom(...described.operations).chain((operation) =>
    fc
      .record({
        method: methodFor(operation),
        path: pathFor(operation, segments),
        query: queryFor(operation),
        headers: headersFor(operation),
        body: operation.body ? contents(bodyOf(operation.body)) : fc.constant(undefined),
      })
      .chain(({ query, body, ...request }) =>
        transport({ ...request, path: request.path + query }, body),
      ),
  )
}

const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 9): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })

const methodFor = ({ method }: Operation) =>
  mostly(fc.constant(method), fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'), 19)

/** An unpaired surrogate cannot be encoded; U+FFFD replaces it. */
const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString())

/** Invalid and dangerous escape sequences. */
const oddSegments = [
  '%',
  '%zz',
  '%ff',
  '%c0%af',
  '%00',
  '%2e%2e%2f',
  '..',
  '%ed%a0%80',
  ';',
  '~',
  "'",
]

function pathFor({ path }: Operation, segments: Segments): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) return fc.constant(part)
    const known = Object.hasOwn(segments, name) ? segments[name] : undefined
    return mostly(known ?? fc.integer({ min: 1, max: 5 }).map(String), oddSegment, 12)
  })
  return fc.tuple(...parts).map((made) => made.join('/'))
}

const oddSegment = fc.oneof(
  fc.constantFrom(...oddSegments),
  fc.constantFrom(...hostileTexts).map(encode),
)

/** Plausible parameter values. */
const knownValue = fc.oneof(
  fc.constantFrom(...vocabulary.columns),
  fc.constantFrom(
    '1',
    '0',
    'true',
    '10',
    '-Height',
    'Name,-id',
    'first',
    'all',
    'none',
    'typed',
    'column',
  ),
  fc.constantFrom('{"Name":["Rose"]}', '{"Height":[1,null]}', '{"Tags":[["L","a"]]}', '{"id":[1]}'),
  fc.constantFrom('{"Height":{"gte":1}}', '{"or":[{"Name":["Rose"]}]}', 'select Name from Plants'),
)

const oddValue = fc.oneof(hostileText, hostileValue.map(toJsonText))

function queryFor({ parameters }: Operation): fc.Arbitrary<string> {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  if (names.length === 0) return fc.constant('')
  const pair = fc.tuple(
    mostly(fc.constantFrom(...names), hostileText),
    fc.oneof({ weight: 2, arbitrary: knownValue }, { weight: 1, arbitrary: oddValue }),
  )
  const encoded = pair.map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const broken = fc.constantFrom('&', '=', '%', 'sort', 'limit=%zz', 'filter=%ff', 'a[b]=1')
  return fc
    .array(mostly(encoded, broken), { maxLength: 3 })
    .map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''))
}

function headersFor({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const names = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
  if (names.length === 0) return fc.constant({})
  const value = fc.oneof(knownValue, oddValue.map(encode)).map((text) => text.slice(0, 2_000))
  return mostly(
    fc.constant<Record<string, string>>({}),
    fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true }),
    3,
  )
}

/** Half of the bodies are valid. */
function contents(good: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc
    .oneof(
      { weight: 5, arbitrary: good },
      { weight: 4, arbitrary: good.chain(spoil) },
      { weight: 1, arbitrary: hostileValue },
    )
    .map(toJsonText)
}

type Envelope = Pick<FuzzRequest, 'body' | 'headers' | 'cutAt'>

/** Encodes a text for the wire, occasionally in an invalid way. */
function transport(
  request: Omit<FuzzRequest, 'body'>,
  text: string | undefined,
): fc.Arbitrary<FuzzRequest> {
  const plain = Buffer.from(text ?? '')
  const sent = (body: Buffer, headers: Record<string, string> = {}, cutAt?: number): Envelope => ({
    body,
    headers: { 'content-type': JSON_TYPE, ...headers },
    cutAt,
  })
  const usual: Envelope = text === undefined ? { headers: {} } : sent(plain)
  const odd: readonly Envelope[] = [
    { headers: {} },
    sent(plain, { 'content-type': 'text/plain' }),
    sent(plain, { 'content-type': 'application/x-www-form-urlencoded' }),
    sent(plain, { 'content-type': 'multipart/form-data; boundary=x' }),
    sent(plain, { 'content-type': 'application/json; charset=utf-16' }),
    sent(plain, { 'content-type': '' }),
    sent(gzipSync(plain), { 'content-encoding': 'gzip' }),
    sent(plain, { 'content-encoding': 'gzip' }),
    sent(gzipSync(plain).subarray(0, 12), { 'content-encoding': 'gzip' }),
    sent(gzipBomb, { 'content-encoding': 'gzip' }),
    sent(plain, { 'content-encoding': 'compress' }),
    sent(plain.subarray(0, plain.length >> 1)),
    sent(Buffer.concat([plain, Buffer.from('x')])),
    sent(Buffer.concat([Buffer.from([0xff]), plain])),
    sent(Buffer.concat([plain.subarray(0, -2), Buffer.from([0xc3]), plain.subarray(-2)])),
    sent(Buffer.concat([Buffer.from('\ufeff'), plain])),
    sent(Buffer.from(plain.toString().replace(/"/g, '"\u0000'))),
    // An empty body cannot be cut short.
    ...(plain.length > 0 ? [sent(plain, {}, plain.length >> 1)] : []),
  ]
  return mostly(fc.constant(usual), fc.constantFrom(...odd), 6).map((envelope) => ({
    ...request,
    ...envelope,
    headers: { ...request.headers, ...envelope.headers },
  }))
}
