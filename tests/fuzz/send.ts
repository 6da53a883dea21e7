import { Agent, request as httpRequest } from 'node:http'
import type { FuzzRequest } from './requests'

/** The gateway itself answers 504 after 60 s. */
const DEADLINE_MS = 90_000

/** A reply, or the way in which the request failed. */
export type Outcome =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly type: string
      readonly text: string
    }
  | { readonly kind: 'cut' }

/** Values of the path parameters. */
export type Places = Readonly<Record<string, string | number>>

/** Sends requests unmodified, over persistent connections. */
export interface Sender extends Disposable {
  /** Throws when there is no reply within the deadline. */
  send(request: FuzzRequest, places: Places): Promise<Outcome>
}

/** A sender for the gateway at `url`. */
export function createSender(url: string, key: string): Sender {
  const agent = new Agent({ keepAlive: true })
  const send = ({ method, path, headers, body, cutAt }: FuzzRequest, places: Places) =>
    new Promise<Outcome>((resolve, reject) => {
      const sent = httpRequest(
        new URL(url),
        {
          agent,
          method,
          path: fill(path, places),
          headers: {
            authorization: `Bearer ${key}`,
            ...(body && { 'content-length': body.length }),
            ...headers,
          },
          signal: AbortSignal.timeout(DEADLINE_MS),
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve({
              kind: 'answer',
              status: response.statusCode ?? 0,
              type: response.headers['content-type'] ?? '',
              text: Buffer.concat(chunks).toString(),
            }),
          )
        },
      )
      sent.once('error', reject)
      if (cutAt === undefined) {
        sent.end(body)
        return
      }
      sent.write(body?.subarray(0, cutAt) ?? '', () => {
        resolve({ kind: 'cut' })
        sent.destroy()
      })
    })
  return { send, [Symbol.dispose]: () => agent.destroy() }
}

function fill(path: string, places: Places): string {
  return path.replace(/^[^?]*/, (pathname) =>
    pathname.replace(/\{(\w+)\}/g, (whole, name: string) => String(places[name] ?? whole)),
  )
}
