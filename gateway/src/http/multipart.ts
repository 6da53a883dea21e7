import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { beyondMaxBody, decoded } from './body'
import { watchSender } from './body-rate'
import type { Exchange } from './exchange'
import { prefersStrict } from './preferences'
import { unknownField } from './strict-input'

/** A field or a file of a form. */
export type FormPart = FormField | FormFile

/** A field of a form. */
export interface FormField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file of a form. Its bytes are streamed; the next part follows once all of them have been read. */
export interface FormFile {
  readonly kind: 'file'
  /** Name of the field. */
  readonly name: string
  /** As sent; empty when the client names none. */
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: AsyncIterable<Buffer>
}

const MAX_FILES = 1000
const MAX_FIELDS = 100
/** Bytes of a file that may be buffered between the body and its consumer. */
const UNDER_WAY_BYTES = 512 * 1024
const limits = {
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
  fields: MAX_FIELDS,
  files: MAX_FILES,
  headerPairs: 50,
  headerSize: 16 * 1024,
}

/**
 * Reads the parts of a form (multipart/form-data) in order, with backpressure; nothing is retained. Throws
 * AppError: `unsupported_media` for another content type, `invalid` for a malformed or truncated form,
 * `too_large` for too many parts or too much besides files, `timeout` when the client stalls, and the reason
 * of the signal.
 */
export async function* readForm(
  exchange: Exchange,
  signal = exchange.signal,
): AsyncGenerator<FormPart> {
  const { request, response, context } = exchange
  const parser = createParser(exchange)
  const body = decoded(request)
  const inbox = new FormQueue()
  listen(parser, inbox)
  const onAbort = () => inbox.fail(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  // Requests the body only now: a client whose request was rejected earlier has not sent it.
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  body.once('error', () => inbox.fail(unreadable()))
  const bound = boundRest(body, inbox, context.config.maxBodyBytes)
  body.pipe(parser)
  const clock = watchSender(body, context.config.timeouts.stallMs, () => inbox.fail(stalled()))
  try {
    yield* inbox.take()
  } finally {
    clock.stop()
    bound.stop()
    signal.removeEventListener('abort', onAbort)
    body.unpipe(parser)
    inbox.close()
    if (!inbox.hasEnded) parser.destroy()
  }
}

/** The parts of a form that have arrived and were not read yet. */
class FormQueue {
  hasEnded = false
  failure: Error | undefined
  /** Bytes of files that have been read. */
  takenBytes = 0
  private readonly parts: FormPart[] = []
  private file: Readable | undefined
  private wake = () => {}

  put(part: FormPart, file?: Readable): void {
    this.parts.push(part)
    this.file = file ?? this.file
    this.wake()
  }

  end(): void {
    this.hasEnded = true
    this.wake()
  }

  fail(error: Error): void {
    this.failure ??= error
    this.close()
    this.wake()
  }

  close(): void {
    this.file?.destroy(this.failure)
  }

  async *take(): AsyncGenerator<FormPart> {
    for (;;) {
      if (this.failure) throw this.failure
      const part = this.parts.shift()
      if (part) yield part
      else if (this.hasEnded) return
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }
}

function listen(parser: BusboyInstance, inbox: FormQueue): void {
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) inbox.fail(malformed(`form field "${name}" is too long`))
    else inbox.put({ kind: 'field', name, value })
  })
  parser.on('file', (...[name, stream, fileName = '', , mediaType]) => {
    stream.on('error', () => inbox.fail(brokenOff()))
    const bytes = bytesOf(stream, inbox)
    inbox.put({ kind: 'file', name, fileName, mediaType, bytes }, stream)
  })
  for (const event of ['filesLimit', 'fieldsLimit'] as const)
    parser.on(event, () => inbox.fail(tooManyParts()))
  parser.on('error', () => inbox.fail(brokenOff()))
  parser.on('finish', () => inbox.end())
}

/**
 * Yields the bytes of a file. When the consumer stops early, the rest is discarded so that the form can
 * complete.
 */
async function* bytesOf(stream: Readable, inbox: FormQueue): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
      inbox.takenBytes += (bytes as Buffer).length
      yield bytes as Buffer
    }
    // A truncated file ends as well.
    if (inbox.failure) throw inbox.failure
  } catch (error) {
    // The failure of a file is the failure of its form.
    throw inbox.failure ?? error
  } finally {
    stream.resume()
  }
}

/**
 * Yields the wanted files of a form as they arrive; the other parts are discarded, up to the body limit, and refused in a
 * strict request. Throws as `readForm`, and `too_large`.
 */
export async function* readFiles(
  exchange: Exchange,
  isWanted: (file: FormFile) => boolean,
  signal: AbortSignal,
): AsyncGenerator<FormFile> {
  const { config } = exchange.context
  let left = config.maxBodyBytes
  const isStrict = prefersStrict(exchange.request)
  for await (const part of readForm(exchange, signal)) {
    if (part.kind === 'file' && isWanted(part)) {
      yield part
      continue
    }
    if (isStrict) throw unknownField(shorten(part.name))
    if (part.kind === 'field') continue
    for await (const { length } of part.bytes) if ((left -= length) < 0) throw beyondMaxBody(config)
  }
}

/**
 * Limits everything but the files that are read to the size of a body, bytes outside of any part included.
 */
function boundRest(body: Readable, inbox: FormQueue, maxBytes: number) {
  let bytes = 0
  const onData = ({ length }: Buffer) => {
    if (bytes - inbox.takenBytes > maxBytes + UNDER_WAY_BYTES)
      inbox.fail(beyondMaxBody({ maxBodyBytes: maxBytes }))
    bytes += length
  }
  body.on('data', onData)
  return { stop: () => void body.off('data', onData) }
}

function createParser({ request: { headers } }: Exchange) {
  requireForm(headers['content-type'])
  try {
    // Folders are stripped where names are stored.
    return new Busboy({ headers: headers as BusboyHeaders, limits, preservePath: true })
  } catch {
    throw malformed('the content type must have a boundary')
  }
}

function requireForm(contentType: string | undefined): void {
  if (contentType === undefined) throw noForm('missing content-type header')
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType))
    throw noForm(`unsupported content-type "${shorten(contentType)}"`)
}

function noForm(fault: string): AppError {
  const allowed = 'multipart/form-data'
  return new AppError('unsupported_media', 'NO_FORM', `${fault}; send ${allowed}`, { allowed })
}

const malformed = (message: string) => new AppError('invalid', 'MALFORMED_FORM', message)

const unreadable = () => new AppError('invalid', 'BODY_UNREADABLE', 'the body cannot be read')

const stalled = () =>
  new AppError('timeout', 'REQUEST_TIMEOUT', 'timed out while receiving the body')

const brokenOff = () => malformed('the form is malformed or incomplete')

function tooManyParts(): AppError {
  const message = `a form must not have more than ${MAX_FILES} files and ${MAX_FIELDS} fields`
  return new AppError('too_large', 'FORM_TOO_LARGE', message)
}
