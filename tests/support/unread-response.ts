import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'

/** A response of which only the first bytes are read. */
export class UnreadResponse implements Disposable {
  status = 0
  isClosed = false
  private readonly socket: Socket

  constructor(url: string, path: string, key: string | undefined) {
    const { hostname, port } = new URL(url)
    const socket = (this.socket = connect(Number(port), hostname))
    socket.on('error', () => {})
    socket.once('close', () => (this.isClosed = true))
    socket.once('readable', () => {
      const head = socket.read() as Buffer | null
      this.status = Number(head?.toString('latin1', 9, 12))
    })
    const credential = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: sheaf\r\nConnection: close\r\n${credential}\r\n`)
  }

  /** Discards what has arrived, without which the end of the connection is not seen. */
  discard(): void {
    this.socket.resume()
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** Follows the memory of the processes through which responses go. */
export class MemoryWatch {
  /** Highest resident memory so far, in bytes. */
  readonly highest = { gateway: 0, 'document-data': 0 }

  constructor(private readonly pids: Readonly<Partial<Record<string, number>>>) {}

  /** Measures once. */
  async look(): Promise<void> {
    for (const name of ['gateway', 'document-data'] as const)
      this.highest[name] = Math.max(this.highest[name], await memoryOf(this.pids[name]))
  }
}

/** Resident memory of a process, in bytes. */
async function memoryOf(pid = 0): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
