import { connect, type Socket } from 'node:net'

/** A request to send. */
export interface WireRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A complete response; its body is counted, and kept only when it is short. */
export interface WireReply {
  readonly status: number
  readonly bytes: number
  readonly text: string
}

const KEPT_BYTES = 4096
const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** Encodes a request, so that a repeated one is encoded only once. */
export function encodeRequest(host: string, request: WireRequest): Buffer {
  const body = Buffer.from(request.body ?? '')
  const headers = { Host: host, ...request.headers }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (request.body !== undefined) {
    lines.push('Content-Type: application/json\r\n', `Content-Length: ${body.length}\r\n`)
  }
  const head = `${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/**
 * A kept-alive connection with one request at a time. It implements only the HTTP needed here: node:http
 * costs about as much per request as the measured servers, on the same cores.
 */
export class HttpConnection {
  private readonly parser = new ReplyParser()
  private waiting?: { resolve: (reply: WireReply) => void; reject: (error: Error) => void }

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (data) => this.read(data))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => this.fail(new Error('the server closed the connection')))
  }

  /** Connects to a server on this machine. */
  static open(port: number, host = '127.0.0.1'): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new HttpConnection(socket))
      })
    })
  }

  /** Sends an encoded request; resolves when its response is complete. */
  send(request: Buffer): Promise<WireReply> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.socket.write(request)
    })
  }

  close(): void {
    this.socket.destroy()
  }

  private read(data: Buffer): void {
    const { waiting } = this
    try {
      const reply = this.parser.push(data)
      if (!reply) return
      this.waiting = undefined
      waiting?.resolve(reply)
    } catch (error) {
      this.fail(error as Error)
    }
  }

  private fail(error: Error): void {
    const { waiting } = this
    this.waiting = undefined
    this.socket.destroy()
    waiting?.reject(error)
  }
}

/** Parses responses with Content-Length or chunked encoding, from arbitrary chunks. */
export class ReplyParser {
  private pending: Buffer = NOTHING
  private status = 0
  private bytes = 0
  private kept: Buffer[] = []
  /** Parser state; `left` counts the bytes of the body, or of this chunk with its line end. */
  private place: 'head' | 'body' | 'chunk size' | 'chunk' | 'trailer' = 'head'
  private left = 0

  /**
   * Adds a chunk; returns the response when this chunk completes it. Throws for anything but this subset of
   * HTTP/1.1.
   */
  push(data: Buffer): WireReply | undefined {
    let rest = this.pending.length > 0 ? Buffer.concat([this.pending, data]) : data
    this.pending = NOTHING
    for (;;) {
      const next = this.step(rest)
      if (next === 'more') {
        this.pending = rest
        return undefined
      }
      rest = next.rest
      if (next.ended) return this.finish()
      if (rest.length === 0) return undefined
    }
  }

  private step(data: Buffer): 'more' | { rest: Buffer; ended?: boolean } {
    if (this.place === 'head') return this.readHead(data)
    if (this.place === 'body') return this.readBody(data)
    if (this.place === 'chunk') return this.readChunk(data)
    const end = data.indexOf(LINE_END)
    if (end < 0) return 'more'
    const rest = data.subarray(end + 2)
    if (this.place === 'trailer') return { rest, ended: end === 0 }
    const size = parseInt(data.toString('latin1', 0, end), 16)
    if (Number.isNaN(size)) throw new Error('a chunk of the reply has no size')
    this.left = size + 2
    this.place = size === 0 ? 'trailer' : 'chunk'
    return { rest }
  }

  private readHead(data: Buffer): 'more' | { rest: Buffer; ended?: boolean } {
    const end = data.indexOf(HEAD_END)
    if (end < 0) return 'more'
    const head = data.toString('latin1', 0, end)
    this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    const chunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    if (!this.status || (length === undefined && !chunked)) {
      throw new Error(`this reply cannot be read: ${head.slice(0, 200)}`)
    }
    this.left = Number(length ?? 0)
    this.place = chunked ? 'chunk size' : 'body'
    return { rest: data.subarray(end + 4), ended: !chunked && this.left === 0 }
  }

  private readBody(data: Buffer): { rest: Buffer; ended: boolean } {
    const taken = Math.min(this.left, data.length)
    this.take(data.subarray(0, taken))
    this.left -= taken
    return { rest: data.subarray(taken), ended: this.left === 0 }
  }

  private readChunk(data: Buffer): { rest: Buffer } {
    const taken = Math.min(this.left, data.length)
    // The last two bytes are the line end.
    this.take(data.subarray(0, Math.min(taken, Math.max(0, this.left - 2))))
    this.left -= taken
    if (this.left === 0) this.place = 'chunk size'
    return { rest: data.subarray(taken) }
  }

  private take(data: Buffer): void {
    if (this.bytes < KEPT_BYTES) this.kept.push(data.subarray(0, KEPT_BYTES - this.bytes))
    this.bytes += data.length
  }

  private finish(): WireReply {
    const text = Buffer.concat(this.kept).toString('utf8')
    const reply = { status: this.status, bytes: this.bytes, text }
    this.kept = []
    this.bytes = 0
    this.place = 'head'
    return reply
  }
}
