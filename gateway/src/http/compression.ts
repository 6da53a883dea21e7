import type { Writable } from 'node:stream'
import { createGzip, constants } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Exchange } from './exchange'

/** A response of fewer bytes is sent as it is. */
const MIN_BYTES = 64 * 1024
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
  /** Stated only where the bytes must be sent as they are: a file, or a part of one. */
  readonly length?: number
}

/** True for a response that is compressed for clients that accept gzip, if it has this many bytes. */
export function isCompressible({ mediaType, length }: Compressible, bytes: number): boolean {
  return bytes > MIN_BYTES && length === undefined && COMPRESSIBLE.test(mediaType)
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
  if (new Negotiator(request).encoding(['gzip', 'identity']) !== 'gzip') return undefined
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
