import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { MalformedFile } from './malformed-file'

const START_BYTES = 64 * 1024

/** A text file and its encoding. */
export interface TextFile {
  readonly path: string
  /** Label for TextDecoder. */
  readonly encoding: string
  /** The beginning of the text, without a byte order mark. */
  readonly start: string
  /** True for the beginning of a file, which may end within a character. */
  readonly isPart?: boolean
}

/**
 * Detects the encoding of a file by its byte order mark; without one it is UTF-8.
 * @param fallback encoding of a file without a mark that is not entirely valid UTF-8, such as `windows-1252`
 */
export async function openText(path: string, fallback?: string, isPart = false): Promise<TextFile> {
  const start = await readStart(path)
  const encoding =
    markedEncoding(start) ??
    (fallback === undefined || (await isUtf8(path, isPart)) ? 'utf-8' : fallback)
  return { path, encoding, start: new TextDecoder(encoding).decode(start), isPart }
}

/**
 * Returns the text of a file in chunks, without a byte order mark. Throws MalformedFile for bytes that are
 * invalid in its encoding; a part may end within a character, which is left out.
 * @param onBytes receives all bytes of the file, in order
 */
export async function* readText(
  { path, encoding, isPart = false }: TextFile,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let line = 1
  const decode = (bytes?: Buffer) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw new MalformedFile(`invalid ${encoding} text`, { line, isAfter: true })
    }
  }
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    onBytes?.(bytes)
    const text = decode(bytes)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
    if (text !== '') yield text
  }
  const rest = isPart ? '' : decode()
  if (rest !== '') yield rest
}

/** The first bytes of a file. */
export async function readStart(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function markedEncoding(start: Buffer): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 'utf-8' : undefined
}

async function isUtf8(path: string, isPart: boolean): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(bytes, { stream: true })
    if (!isPart) decoder.decode()
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false
    throw error
  }
}
