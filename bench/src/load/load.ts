import { encodeRequest, HttpConnection, type WireReply, type WireRequest } from './http-connection'

/** Calls to make to one server on this machine. */
export interface Load {
  readonly port: number
  /** Sent in order, repeatedly. */
  readonly requests: readonly WireRequest[]
  /** Each sends its next request as soon as the previous one completes. */
  readonly clients: number
  /** Duration in milliseconds. */
  readonly ms?: number
  /** Number of calls. With both, the load ends at whichever comes first, after at least `atLeast` calls. */
  readonly calls?: number
  readonly atLeast?: number
  /** True to return the short texts of the responses. */
  readonly keepTexts?: boolean
}

/** The result of a load. */
export interface LoadResult {
  readonly calls: number
  readonly ms: number
  /** Of each call, in order of completion. */
  readonly latencies: readonly number[]
  readonly bytes: number
  /** Processor time of the generator itself. */
  readonly cpuMs: number
  readonly texts: readonly string[]
}

/** Runs a load against a server. Throws, with its text, for any response but a 200. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { clients, port, ms = Infinity, calls: wanted = Infinity, atLeast = 1 } = load
  const requests = load.requests.map((request) => encodeRequest(`127.0.0.1:${port}`, request))
  const connections = await Promise.all(
    Array.from({ length: clients }, () => HttpConnection.open(port)),
  )
  const latencies: number[] = []
  const texts: string[] = []
  let bytes = 0
  let begun = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  const going = () => begun < wanted && (begun < atLeast || performance.now() - start < ms)
  const client = async (connection: HttpConnection) => {
    while (going()) {
      const request = requests[begun++ % requests.length]
      if (!request) return
      const sentAt = performance.now()
      const reply = requireOk(await connection.send(request))
      latencies.push(performance.now() - sentAt)
      bytes += reply.bytes
      if (load.keepTexts) texts.push(reply.text)
    }
  }
  try {
    await Promise.all(connections.map(client))
  } finally {
    for (const connection of connections) connection.close()
  }
  const { user, system } = process.cpuUsage(cpu)
  const cpuMs = (user + system) / 1000
  return { calls: latencies.length, ms: performance.now() - start, latencies, bytes, cpuMs, texts }
}

function requireOk(reply: WireReply): WireReply {
  if (reply.status !== 200) {
    throw new Error(`answered ${reply.status}: ${reply.text.slice(0, 300)}`)
  }
  return reply
}
