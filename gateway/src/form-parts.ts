import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { AppError } from '@sheaf/kit/errors'
import type { Exchange } from './exchange'

/** A value or a file of a form. */
export type FormPart = FormField | FormFile

/** A value of a form. */
export interface FormField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file of a form. Its bytes come as they arrive; what follows it comes when all of them have been taken. */
export interface FormFile {
  readonly kind: 'file'
  /** Name of the field. */
  readonly name: string
  /** Without folders; empty when the client names none. */
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: AsyncIterable<Buffer>
}

const limits = {
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
  fields: 100,
  parts: 2_000,
  headerPairs: 50,
  headerSize: 16 * 1024,
}

/**
 * Reads the parts of a form (multipart/form-data) in their order, no faster than they are taken; nothing is kept. Throws
 * AppError: `unsupported_media` for another body, `invalid` for a form that is not well formed or breaks off, `timeout`
 * when its sender stalls, and the reason of the signal.
 */
export async function* readForm(
  exchange: Exchange,
  signal = exchange.signal,
): AsyncGenerator<FormPart> {
  const { request, response, context } = exchange
  const parser = createParser(exchange)
  const parts: FormPart[] = []
  let wake = () => {}
  let ended = false
  let failure: Error | undefined
  let open: Readable | undefined
  const fail = (error: Error) => {
    failure ??= error
    open?.destroy(failure)
    wake()
  }
  const stalled = () =>
    fail(new AppError('timeout', 'REQUEST_TIMEOUT', 'the body took too long to arrive'))
  const onAbort = () => fail(signal.reason as Error)
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) return fail(malformed(`field "${name}" is too long`))
    parts.push({ kind: 'field', name, value })
    wake()
  })
  parser.on('file', (...[name, stream, fileName, , mediaType]) => {
    // The reader of the bytes gets the error; until there is one, nobody is to be surprised.
    stream.on('error', () => {})
    open = stream
    parts.push({ kind: 'file', name, fileName: fileName ?? '', mediaType, bytes: bytesOf(stream) })
    wake()
  })
  for (const event of ['partsLimit', 'fieldsLimit'] as const)
    parser.on(event, () => fail(malformed('the form has too many parts')))
  parser.on('error', () => fail(malformed('the form is not well formed, or breaks off')))
  parser.on('finish', () => {
    ended = true
    wake()
  })
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  // Only now is the body wanted: a request that was refused before has cost its sender nothing.
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  request.pipe(parser)
  const clock = watchSender(request, context.config.timeouts.stallMs, stalled)
  try {
    for (;;) {
      if (failure) throw failure
      const part = parts.shift()
      if (part) yield part
      else if (ended) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    clock.stop()
    signal.removeEventListener('abort', onAbort)
    request.unpipe(parser)
    open?.destroy(failure)
    if (!ended) parser.destroy()
  }
}

/** The bytes of a file. What is left when nobody takes more flows by, so that the form comes to its end. */
async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) yield bytes as Buffer
  } finally {
    stream.resume()
  }
}

/** Calls `stalled` when nothing comes for so long. The time in which nothing is asked for does not count. */
function watchSender(request: IncomingMessage, stallMs: number, stalled: () => void) {
  const timer = setTimeout(() => {
    if (request.readableFlowing) stalled()
    else timer.refresh()
  }, stallMs)
  const onData = () => timer.refresh()
  const stop = () => {
    clearTimeout(timer)
    request.off('data', onData).off('end', stop)
  }
  request.on('data', onData).once('end', stop)
  return { stop }
}

function createParser({ request }: Exchange) {
  const { headers } = request
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\b/i.test(type))
    throw new AppError(
      'unsupported_media',
      'NO_FORM',
      'the body must be a form (multipart/form-data)',
    )
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw new AppError(
      'unsupported_media',
      'UNSUPPORTED_ENCODING',
      `unsupported content encoding "${encoding}"`,
    )
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch {
    throw malformed('the form has no boundary')
  }
}

const malformed = (message: string) => new AppError('invalid', 'MALFORMED_FORM', message)
