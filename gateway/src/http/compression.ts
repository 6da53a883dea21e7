import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import { constants, createGzip, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Exchange } from './exchange'

/** A response of fewer bytes is sent as it is: it fits into three packets, and compressing it would cost a tenth of its call. */
const MIN_BYTES = 4 * 1024
/** A response up to this size is compressed at once, which takes 0.05 to 0.45 ms: less than passing it to a thread. */
const MAX_AT_ONCE = 64 * 1024
/** The fastest level: 100 MB/s and a fifth of the size for records as JSON; higher levels gain little. */
const LEVEL = constants.Z_BEST_SPEED
/**
 * Responses that are compressed concurrently; beyond that number, responses are sent as they are. Each holds some
 * 300 KB, and more would only wait for the processors.
 */
const MAX_COMPRESSED = 32
/** Formats of text, which gzip shortens, and Arrow; the other formats are compressed in themselves, or files. */
const COMPRESSIBLE =
  /^(?:text\/|image\/svg\+xml|application\/(?:json|javascript|x-ndjson|[\w.-]+\+json|vnd\.apache\.arrow\.stream)\b)/

/** The part of a response's head that decides on its compression. */
interface Compressible {
  readonly mediaType: string
  /** Cache-Control. */
  readonly cache?: string
  /** Stated only where the bytes must be sent as they are: a file, or a part of one. */
  readonly length?: number
}

/**
 * True for a response that is compressed for clients that accept gzip, if it has this many bytes. What must not be stored
 * contains secrets: the length of its compressed form would reveal whether text that someone else chose repeats a part of them.
 */
export function isCompressible({ mediaType, length, cache }: Compressible, bytes: number): boolean {
  const isSecret = cache?.includes('no-store') ?? false
  return bytes > MIN_BYTES && length === undefined && !isSecret && COMPRESSIBLE.test(mediaType)
}

/** True for a compressible response that is short enough for `compressAtOnce`. */
export function isShort(bytes: number): boolean {
  return bytes <= MAX_AT_ONCE
}

/** Returns a compressible response in the form for its client, and adds the headers. */
export function compressAtOnce({ request, headers }: Exchange, bytes: Buffer): Buffer {
  headers.push('Vary', 'Accept-Encoding')
  if (!accepts(request, 'gzip')) return bytes
  headers.push('Content-Encoding', 'gzip')
  return gzipSync(bytes, { level: LEVEL })
}

/** The content codings that responses may have, the shortest first. */
export const codings = ['br', 'gzip'] as const

/** A content coding, as named in HTTP. */
export type Coding = (typeof codings)[number]

/** True when the client of a request accepts a coding, and does not prefer a response without one. */
export function accepts(request: IncomingMessage, coding: Coding): boolean {
  return new Negotiator(request).encoding([coding, 'identity']) === coding
}

/**
 * Returns a stream that compresses what is written to it into the response, whose head must be sent before the first
 * write; undefined when the client does not accept gzip, or too many responses are being compressed. Adds the headers.
 */
export function compressInto(exchange: Exchange): Writable | undefined {
  const { request, response, headers, context } = exchange
  headers.push('Vary', 'Accept-Encoding')
  // Without a reader, the stream would never end, and neither would its slot.
  if (request.method === 'HEAD' || response.destroyed) return undefined
  if (context.load.compressedResponses >= MAX_COMPRESSED) return undefined
  if (!accepts(request, 'gzip')) return undefined
  headers.push('Content-Encoding', 'gzip')
  const gzip = createGzip({ level: LEVEL })
  context.load.compressedResponses++
  gzip.once('close', () => context.load.compressedResponses--)
  gzip.once('error', () => exchange.breakOff())
  // A client that disconnects, and a response that breaks off.
  response.once('close', () => gzip.destroy())
  gzip.pipe(response)
  return gzip
}
