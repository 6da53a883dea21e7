import { createReadStream } from 'node:fs'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createInterface } from 'node:readline'
import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import {
  ConnectionError,
  createIdempotencyKey,
  SheafError,
  type ImportedDocument,
  type ImportedTables,
  type ImportPreview,
} from '@sheaf/client'
import { CliError } from '../cli-error'

/** A file to import. */
export interface ImportRequest {
  readonly path: string
  /** File name sent to the server. */
  readonly fileName: string
  /** Size in bytes. */
  readonly size: number
  /** Path in the API: of a workspace, a document, or a preview for one. */
  readonly apiPath: string
  /** Fields of the form that precede the file. */
  readonly fields: readonly ImportField[]
}

/** Name and value of a field of a form. */
export type ImportField = readonly [name: string, value: string]

/** What the server answers, depending on the path. */
export type ImportAnswer =
  | { readonly document: ImportedDocument }
  | { readonly imported: ImportedTables }
  | { readonly preview: ImportPreview }

/** Receives the progress. */
export interface ImportWatcher {
  sent(bytes: number): void
  /** Rows that the server has read, and those that it has stored. */
  rows(read: number, stored: number): void
}

interface Line {
  readonly progress?: { readonly rowsRead: number; readonly rowsStored: number }
  readonly document?: ImportedDocument
  readonly imported?: ImportedTables
  readonly error?: string
  readonly details?: { readonly status?: number; readonly reason?: string }
}

/** Longest silence of the server, which queues imports; `fetch`, and so the client, would not wait as long. */
const SILENCE_MS = 600_000

/**
 * Uploads a file and waits for what is made of it. Memory does not depend on the size of the file.
 * Throws SheafError for a rejection and for a server that does not respond, CliError for an unreadable file.
 */
export async function importUpload(
  { url, key }: { url: string; key: string },
  upload: ImportRequest,
  watcher: ImportWatcher,
): Promise<ImportAnswer> {
  const { head, tail, type } = formAround(upload)
  const address = new URL(`${url}${upload.apiPath}`)
  const send = address.protocol === 'https:' ? requestHttps : requestHttp
  const request = send(address, {
    method: 'POST',
    timeout: SILENCE_MS,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/x-ndjson',
      // With it, the server repeats an import into a document itself when an instance fails.
      'idempotency-key': createIdempotencyKey(),
      'content-type': type,
      'content-length': head.length + upload.size + tail.length,
    },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('timed out')))
  })
  async function* body(): AsyncGenerator<Buffer> {
    yield head
    let sent = 0
    for await (const bytes of createReadStream(upload.path) as AsyncIterable<Buffer>) {
      yield bytes
      sent += bytes.length
      watcher.sent(sent)
    }
    yield tail
  }
  // A server that rejects the upload responds before it has received the whole file, and then closes the
  // connection.
  const sending = pipeline(body, request).catch((error: unknown) => error)
  try {
    const response = await answered.catch(async (error: unknown) => {
      throw toCliError(await sending) ?? error
    })
    return await readAnswer(response, watcher)
  } catch (error) {
    if (error instanceof SheafError || error instanceof CliError) throw error
    const { code, message } = error as { code?: string; message: string }
    throw new ConnectionError({
      status: 0,
      reason: 'CONNECTION_FAILED',
      message: `no response from ${url}: ${code ?? message}`,
    })
  } finally {
    request.destroy()
  }
}

function toCliError(error: unknown): CliError | undefined {
  const { code, syscall, path } = (error ?? {}) as {
    code?: string
    syscall?: string
    path?: string
  }
  const isOfFile = path !== undefined || syscall === 'open' || syscall === 'read'
  return isOfFile ? new CliError(`failed to read the file: ${code ?? 'unknown error'}`) : undefined
}

/** The parts of the form before and after the file. */
function formAround({ fields, fileName }: ImportRequest) {
  const boundary = `sheaf-${randomUUID()}`
  const before = fields
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')
  const file = fileName.replace(/["\r\n]/g, (char) => encodeURIComponent(char))
  const head = `${before}--${boundary}\r\nContent-Disposition: form-data; name="upload"; filename="${file}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    head: Buffer.from(head),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

async function readAnswer(
  response: IncomingMessage,
  watcher: ImportWatcher,
): Promise<ImportAnswer> {
  const status = response.statusCode ?? 0
  for await (const text of createInterface({ input: response })) {
    const line = readLine(text)
    if (!line) continue
    if (line.error !== undefined || status >= 400) throw refusal(line, status)
    if (line.progress) watcher.rows(line.progress.rowsRead, line.progress.rowsStored)
    if (line.document) return { document: line.document }
    if (line.imported) return { imported: line.imported }
    // A preview is a response of JSON, which has no line break.
    if (isPreview(line)) return { preview: line }
  }
  const problem = response.complete
    ? 'sent an unexpected response; is the URL that of Sheaf?'
    : 'closed the connection before the end of the response'
  throw new SheafError({ status, reason: 'UNEXPECTED_RESPONSE', message: `the server ${problem}` })
}

const isPreview = (line: Line): line is Line & ImportPreview => 'format' in line

function refusal({ error, details = {} }: Line, status: number): SheafError {
  return new SheafError({
    status: status >= 400 ? status : (details.status ?? 500),
    reason: details.reason ?? 'UNEXPECTED_RESPONSE',
    message: error ?? `unexpected response with status ${status}`,
  })
}

function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}
