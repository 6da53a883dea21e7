import { Agent, request } from 'node:http'

/** Where the records of a table are read and written, and what is sent along. */
export interface Target {
  readonly name: string
  /** Address of the table's records endpoint. */
  readonly recordsUrl: string
  readonly headers: Readonly<Record<string, string>>
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends one request and returns the number of bytes answered. Throws for any status but 200. */
export function send(target: Target, query: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...target.headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(`${target.recordsUrl}${query}`, { agent, method, headers }, (response) => {
      let bytes = 0
      let text = ''
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (response.statusCode !== 200) text += chunk.toString()
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes)
        else
          reject(new Error(`${target.name} answered ${response.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Milliseconds that one call takes. */
export async function timeOnce(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await call()
  return performance.now() - start
}

/** Calls a second that `clients` callers reach together, each calling again as soon as it is answered, for `ms`. */
export async function rateOf(
  clients: number,
  ms: number,
  call: () => Promise<unknown>,
): Promise<number> {
  const start = performance.now()
  let calls = 0
  const client = async () => {
    while (performance.now() - start < ms) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return calls / ((performance.now() - start) / 1000)
}

/** Closes the connections that are kept alive. */
export function closeConnections(): void {
  agent.destroy()
}
