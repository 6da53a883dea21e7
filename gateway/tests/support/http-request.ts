import { request } from 'node:http'

/** What fetch does not let one say: Host, and requests without a body that claim one. */
export interface HttpOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** A whole answer; header names in lower case, a body that is not JSON as text. */
export interface HttpReply {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: unknown
}

/** Sends a request with these headers exactly. */
export function sendRequest(
  url: string,
  { method = 'GET', headers = {} }: HttpOptions,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
      reply.once('end', () => {
        const { statusCode = 0, headers } = reply
        const text = Buffer.concat(chunks).toString()
        const isJson = /json/.test(headers['content-type'] ?? '')
        const body: unknown = isJson ? JSON.parse(text) : text
        resolve({ status: statusCode, headers, body })
      })
    })
    sent.once('error', reject).end()
  })
}
