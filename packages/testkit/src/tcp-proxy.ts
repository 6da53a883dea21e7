import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'

/**
 * What happens to the next bytes that a client sends or is sent: `cut_before` closes the connection and drops the
 * request, `cut_after` lets the server answer and drops the answer, `cut_within` passes on the first half of it, `gone_after`
 * drops it and refuses connections from then on, `late` closes the client's side and passes the request on after a while,
 * `hang` passes nothing on any more.
 */
export type ProxyFault = 'cut_before' | 'cut_after' | 'cut_within' | 'gone_after' | 'late' | 'hang'

/** Milliseconds after which a late request reaches the server. */
const LATE_MS = 40

/** A TCP proxy on loopback, in front of one server, that breaks connections on request. */
export class TcpProxy implements AsyncDisposable {
  private readonly server = createServer((client) => this.accept(client))
  private readonly sockets = new Set<Socket>()
  private fault: ProxyFault | undefined
  private isRefusing = false
  private isStalled = false
  private delayMs = 0

  private constructor(private target: { readonly host: string; readonly port: number }) {}

  /** Starts a proxy for the server of this URL. */
  static async start(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetOf(url))
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  /** The URL by way of the proxy. */
  through(url: string): string {
    const changed = new URL(url)
    changed.hostname = '127.0.0.1'
    changed.port = String((this.server.address() as AddressInfo).port)
    return changed.href
  }

  /** Closes all connections, and leads new ones to the server of this URL. */
  leadTo(url: string): void {
    this.target = targetOf(url)
    for (const socket of this.sockets) socket.destroy()
  }

  /** Lets the next request of any connection fail in this way. */
  failNext(fault: ProxyFault): void {
    this.fault = fault
  }

  /** True until the fault has happened. */
  get isArmed(): boolean {
    return this.fault !== undefined
  }

  /** Closes all connections, and every new one at once, until `admit`. */
  refuse(): void {
    this.isRefusing = true
    for (const socket of this.sockets) socket.destroy()
  }

  /** Accepts connections, but passes nothing on in either direction until `admit`. */
  stall(): void {
    this.isStalled = true
    for (const socket of this.sockets) socket.pause()
  }

  /** Lets each part of an answer wait until `admit`. */
  slowDown(delayMs: number): void {
    this.delayMs = delayMs
  }

  /** Admits connections again, without a fault, and passes on what was held up. */
  admit(): void {
    this.isRefusing = false
    this.isStalled = false
    this.delayMs = 0
    this.fault = undefined
    for (const socket of this.sockets) socket.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.refuse()
    this.server.close()
    await once(this.server, 'close')
  }

  private accept(client: Socket): void {
    if (this.isRefusing) return void client.destroy()
    const server = connect(this.target)
    let isHanging = false
    let cut: ProxyFault | undefined
    for (const socket of [client, server]) {
      this.sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => this.sockets.delete(socket))
    }
    const answer = (bytes: Buffer) => void client.write(bytes)
    client.on('data', (bytes) => {
      const fault = isHanging ? 'hang' : this.takeFault()
      if (fault === 'hang') isHanging = true
      else if (fault === 'cut_before') server.destroy()
      else if (fault === 'late') {
        isHanging = true
        client.destroy()
        setTimeout(() => server.end(bytes), LATE_MS)
      } else {
        cut = fault
        server.write(bytes)
      }
    })
    server.on('data', (bytes) => {
      if (cut === 'gone_after') this.refuse()
      else if (cut === 'cut_after') client.destroy()
      else if (cut === 'cut_within') client.end(bytes.subarray(0, bytes.length / 2))
      else if (this.delayMs > 0) setTimeout(answer, this.delayMs, bytes)
      else answer(bytes)
    })
    client.on('close', () => {
      if (!isHanging) server.destroy()
    })
    server.on('close', () => client.destroy())
    if (this.isStalled) for (const socket of [client, server]) socket.pause()
  }

  private takeFault(): ProxyFault | undefined {
    const { fault } = this
    this.fault = undefined
    return fault
  }
}

function targetOf(url: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}
