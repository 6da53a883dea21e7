import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { AppError } from '@sheaf/kit/errors'
import { decoded } from './body'
import type { Exchange } from './exchange'

/** A file of a form, whose bytes have to be read before the next one comes. */
export interface FormFile {
  /** As it was sent; empty when it has none. */
  readonly name: string
  readonly mediaType: string
  readonly bytes: AsyncIterable<Buffer>
}

/** Which of a form's files are wanted; the others are read and forgotten. */
export type WantsFile = (field: string, name: string) => boolean

const MAX_FILES = 1000
const limits = {
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
  fields: 100,
  files: MAX_FILES,
  parts: MAX_FILES + 100,
  headerPairs: 50,
  headerSize: 16 * 1024,
}

/** What the parser tells of a file. */
type FileEvent = [
  field: string | undefined,
  bytes: Readable,
  name: string | undefined,
  encoding: string,
  mediaType: string,
]

/**
 * The files of a request whose body is a form, one by one as they arrive, and no faster than they are read. Disposing
 * leaves the rest of the body alone.
 */
export class FormFiles implements Disposable {
  private readonly source: Readable
  private readonly parser: BusboyInstance
  private readonly waiting: FormFile[] = []
  private readonly open = new Set<Readable>()
  private readonly timer: NodeJS.Timeout
  private failure: Error | undefined
  private finished = false
  private forgotten = 0
  private wake = () => {}
  private readonly onAbort = () => this.fail(this.exchange.signal.reason as Error)

  /**
   * Looks at the headers only. Throws AppError `unsupported_media` for a body that is no form, `invalid` for one without a
   * boundary.
   */
  constructor(
    private readonly exchange: Exchange,
    private readonly wants: WantsFile,
  ) {
    const { request, signal, context } = exchange
    requireForm(request.headers['content-type'])
    this.parser = createParser(request.headers as BusboyHeaders)
    this.source = decoded(request)
    this.timer = setTimeout(() => this.fail(stalled()), context.config.timeouts.stallMs)
    this.timer.unref()
    this.listen()
    if (signal.aborted) this.onAbort()
    else signal.addEventListener('abort', this.onAbort, { once: true })
  }

  /** Asks for the body and gives its files. Throws AppError for a body that breaks off, stalls, or is no form. */
  async *read(): AsyncGenerator<FormFile> {
    const { request, response } = this.exchange
    // Only now is the body wanted: a request that was refused before has cost its sender nothing.
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
    this.source.pipe(this.parser)
    for (;;) {
      if (this.failure) throw this.failure
      const file = this.waiting.shift()
      if (file) yield file
      else if (this.finished) return
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }

  [Symbol.dispose](): void {
    if (!this.finished)
      this.fail(new AppError('invalid', 'BODY_UNREADABLE', 'the body is not read'))
    clearTimeout(this.timer)
    this.exchange.signal.removeEventListener('abort', this.onAbort)
  }

  private listen(): void {
    const { source, parser } = this
    const unreadable = (error: Error) => this.fail(malformed(error.message))
    source.on('data', () => this.timer.refresh())
    source.on('error', () =>
      this.fail(new AppError('invalid', 'BODY_UNREADABLE', 'the body cannot be read')),
    )
    // The client has gone in the middle of it.
    source.on('close', () => {
      if (!source.readableEnded) unreadable(new Error('the form breaks off'))
    })
    parser.on('error', (error) => unreadable(error as Error))
    parser.on('file', (...file) => this.take(...file))
    for (const limit of ['filesLimit', 'partsLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => this.fail(tooManyParts()))
    parser.on('finish', () => {
      this.finished = true
      clearTimeout(this.timer)
      this.wake()
    })
  }

  private take(...[field, bytes, name, , mediaType]: FileEvent): void {
    bytes.on('error', (error) => this.fail(malformed(error.message)))
    if (this.failure) {
      bytes.resume()
    } else if (this.wants(field ?? '', name ?? '')) {
      this.open.add(bytes)
      bytes.once('close', () => this.open.delete(bytes))
      this.waiting.push({ name: name ?? '', mediaType, bytes: this.told(bytes) })
      this.wake()
    } else bytes.on('data', (chunk: Buffer) => this.forget(chunk))
  }

  /** What goes wrong with a file is told as what went wrong with the form. */
  private async *told(bytes: Readable): AsyncGenerator<Buffer> {
    try {
      yield* bytes as AsyncIterable<Buffer>
    } catch (error) {
      throw this.failure ?? error
    }
  }

  private forget({ length }: Buffer): void {
    this.forgotten += length
    if (this.forgotten <= this.exchange.context.config.maxBodyBytes) return
    this.fail(new AppError('too_large', 'BODY_TOO_LARGE', 'request entity too large'))
  }

  private fail(error: Error): void {
    if (this.failure || this.finished) return
    this.failure = error
    clearTimeout(this.timer)
    this.source.unpipe(this.parser)
    this.parser.on('error', () => {})
    for (const bytes of this.open) bytes.destroy(error)
    this.wake()
  }
}

function requireForm(contentType: string | undefined): void {
  if (contentType === undefined)
    throw new AppError('unsupported_media', 'NO_FORM', 'missing content-type header')
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType))
    throw new AppError('unsupported_media', 'NO_FORM', 'unsupported content-type')
}

function createParser(headers: BusboyHeaders): BusboyInstance {
  try {
    // Folders are taken off where names are kept.
    return new Busboy({ headers, limits, preservePath: true })
  } catch (error) {
    throw malformed((error as Error).message)
  }
}

const malformed = (message: string) => new AppError('invalid', 'MALFORMED_FORM', message)

const stalled = () => new AppError('timeout', 'REQUEST_TIMEOUT', 'the body took too long to arrive')

const tooManyParts = () =>
  new AppError('too_large', 'FORM_TOO_LARGE', `a form can have at most ${MAX_FILES} files`)
