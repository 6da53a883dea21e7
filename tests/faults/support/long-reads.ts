import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createRest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import Database from 'better-sqlite3'
import { addRecords, addTable } from '../../support/system'

/** A table too large for the buffers on the way, so that its reader determines how long a read takes. */
const ROWS = 6_000
const TEXT = 'long '.repeat(800)
/** Bytes after which a reader pauses. */
const HELD_BYTES = 100_000

/** How a read ended. A truncated one looks complete to its reader, and is not. */
export interface ReadOutcome {
  readonly form: string
  readonly outcome: 'whole' | 'broken' | 'truncated'
}

/** A read that its reader has paused. */
interface HeldRead {
  readonly form: Form
  readonly socket: Socket
  readonly received: Buffer[]
  /** Resolves to whether the connection ended in order. */
  readonly ended: Promise<boolean>
}

interface Form {
  readonly name: string
  readonly path: string
  readonly accept?: string
  readonly version: '1.0' | '1.1'
  /** True for a body that has all rows. */
  readonly isWhole: (body: Buffer) => boolean
}

const lines = (more: number) => (body: Buffer) =>
  body.toString().trimEnd().split('\n').length === ROWS + more

const json = (body: Buffer) => {
  try {
    return (JSON.parse(body.toString()) as { records: unknown[] }).records.length === ROWS
  } catch {
    return false
  }
}

const sqlite = (body: Buffer) => {
  try {
    const db = new Database(body)
    try {
      return db.prepare('SELECT count(*) FROM Long').pluck().get() === ROWS
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

const forms: readonly Omit<Form, 'version'>[] = [
  { name: 'JSON', path: 'tables/Long/records', isWhole: json },
  {
    name: 'NDJSON',
    path: 'tables/Long/records',
    accept: 'application/x-ndjson',
    isWhole: lines(0),
  },
  { name: 'CSV', path: 'download/csv?tableId=Long', isWhole: lines(1) },
  { name: 'SQLite', path: 'download', isWhole: sqlite },
]

/** Readers of one document, in several forms, by hand on sockets: as clients of HTTP/1.0, which know no chunks, and HTTP/1.1. */
export class LongReads {
  private constructor(
    private readonly sheaf: RunningSheaf,
    private readonly doc: string,
  ) {}

  /** Adds the table that is read. */
  static async prepare(sheaf: RunningSheaf, doc: string): Promise<LongReads> {
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    await addTable(rest, doc, 'Long', { Word: 'Text' })
    const rows = Array.from({ length: ROWS }, () => ({ Word: TEXT }))
    await addRecords(rest, `${doc}/tables/Long`, rows)
    return new LongReads(sheaf, doc)
  }

  /** Starts a read in each form, and pauses its reader in the middle. */
  holdAll(): Promise<HeldRead[]> {
    const all = forms.flatMap((form) =>
      (['1.0', '1.1'] as const).map((version) => ({ ...form, version })),
    )
    return Promise.all(all.map((form) => this.hold(form)))
  }

  /** Reads to the end. */
  finishAll(held: readonly HeldRead[]): Promise<ReadOutcome[]> {
    return Promise.all(
      held.map(async ({ form, socket, received, ended }) => {
        socket.resume()
        const isOrderly = await ended
        const name = `${form.name} over HTTP/${form.version}`
        return { form: name, outcome: judge(form, Buffer.concat(received), isOrderly) }
      }),
    )
  }

  private async hold(form: Form): Promise<HeldRead> {
    const { hostname, port } = new URL(this.sheaf.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    await once(socket, 'connect')
    const received: Buffer[] = []
    const ended = new Promise<boolean>((resolve) => {
      let isOrderly = false
      socket.on('end', () => {
        // libuv reports a reset as an end when it arrives with the last bytes; only after a real end can be written.
        socket.write('\r\n', (error) => {
          isOrderly = !error
          socket.destroy()
        })
      })
      socket.on('error', () => (isOrderly = false))
      socket.on('close', () => resolve(isOrderly))
    })
    const begun = new Promise<void>((resolve) => {
      let bytes = 0
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk)
        bytes += chunk.length
        if (bytes >= HELD_BYTES && bytes - chunk.length < HELD_BYTES) {
          socket.pause()
          resolve()
        }
      })
    })
    const head = [
      `GET ${this.doc}/${form.path} HTTP/${form.version}`,
      'Host: localhost',
      'Connection: close',
      `Authorization: Bearer ${this.sheaf.ownerKey}`,
      ...(form.accept === undefined ? [] : [`Accept: ${form.accept}`]),
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await Promise.race([begun, ended])
    return { form, socket, received, ended }
  }
}

/** What a reader concludes: an end in order completes the body, unless its length or its last chunk is missing. */
function judge(form: Form, response: Buffer, isOrderly: boolean): ReadOutcome['outcome'] {
  if (!isOrderly) return 'broken'
  const at = response.indexOf('\r\n\r\n')
  const head = response.subarray(0, at).toString()
  let body: Buffer | undefined = response.subarray(at + 4)
  if (!/^HTTP\/1.1 200 /.test(head)) return 'broken'
  if (/^transfer-encoding: chunked$/im.test(head)) body = decodeChunks(body)
  else {
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? body.length)
    if (body.length < length) return 'broken'
  }
  if (!body) return 'broken'
  return form.isWhole(body) ? 'whole' : 'truncated'
}

/** The content of a chunked body; undefined without its last chunk. */
function decodeChunks(body: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at)
    if (end < 0) return undefined
    const size = parseInt(body.subarray(at, end).toString(), 16)
    if (size === 0) return Buffer.concat(parts)
    parts.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
