import { connect, type Socket } from 'node:net'

/** A connection on which a test writes HTTP by hand, and what came back on it so far. */
export class RawConnection implements AsyncDisposable {
  received = ''
  isClosed = false
  /** True when the other side reset the connection, instead of ending it in order. */
  isReset = false

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')))
    socket.on(
      'error',
      (error: NodeJS.ErrnoException) => (this.isReset = error.code === 'ECONNRESET'),
    )
    socket.on('close', () => (this.isClosed = true))
  }

  static open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.once('connect', () => resolve(new RawConnection(socket)))
      socket.once('error', reject)
    })
  }

  send(lines: readonly string[]): void {
    this.socket.write(lines.join('\r\n'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy()
  }
}
