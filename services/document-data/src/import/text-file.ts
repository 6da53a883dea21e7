import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { badFile } from './import-errors'

const START_BYTES = 64 * 1024

/** A text file and its encoding. */
export interface TextFile {
  readonly path: string
  /** Label for TextDecoder. */
  readonly encoding: string
  /** The beginning of the text, without a byte order mark. */
  readonly start: string
}

/**
 * Detects the encoding of a file by its byte order mark; without one it is UTF-8 if all of it is valid UTF-8,
 * otherwise Windows-1252, in which every byte is valid. Throws `invalid` for a binary file.
 */
export async function openText(path: string): Promise<TextFile> {
  const start = await readStart(path)
  const encoding = markedEncoding(start) ?? ((await isUtf8(path)) ? 'utf-8' : 'windows-1252')
  const text = new TextDecoder(encoding).decode(start)
  if (text.includes('\0')) throw badFile('the file is not a text file')
  return { path, encoding, start: text }
}

/**
 * The text of a file in chunks. Throws `invalid`, naming the line, for bytes that are invalid in its
 * encoding.
 */
export async function* readText({ path, encoding }: TextFile): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let line = 1
  const decode = (bytes?: Buffer) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw badFile(`invalid ${encoding} text`, `after line ${line}`)
    }
  }
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    const text = decode(bytes)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
    if (text !== '') yield text
  }
  const rest = decode()
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

async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(bytes, { stream: true })
    decoder.decode()
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false
    throw error
  }
}
