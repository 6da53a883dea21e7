import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectGarbage } from '@sheaf/testkit/garbage'
import { fetchIssuerKeys } from './issuer-keys'

/** Fetches keys from a provider that answers so. */
async function fetchFrom(answer: RequestListener, timeoutMs?: number) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    return await fetchIssuerKeys(`http://127.0.0.1:${port}/jwks`, timeoutMs)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const sends =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify(body))

describe('the keys of an identity provider', () => {
  it('are fetched', async () => {
    const set = { keys: [{ kty: 'RSA', kid: 'one', n: 'AQAB', e: 'AQAB' }, { kty: 'EC' }] }
    expect(await fetchFrom(sends(set))).toEqual(set)
  })

  it.each<[string, RequestListener]>([
    ['an error', sends({ keys: [] }, 500)],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/other' }).end()],
    ['no JSON', (_, response) => response.end('<html>')],
    ['another object', sends({ keys: 'none' })],
    ['things that are no keys', sends({ keys: [{ kid: 1 }] })],
    ['too many keys', sends({ keys: Array.from({ length: 101 }, () => ({ kty: 'RSA' })) })],
    ['too many bytes', sends({ keys: [{ kty: 'RSA', n: 'x'.repeat(256 * 1024) }] })],
  ])('are refused when the answer is %s', async (_, answer) => {
    await expect(fetchFrom(answer)).rejects.toThrow()
  })

  it('are not waited for without end', async () => {
    const stalls: RequestListener = (_, response) => response.writeHead(200).write('{')
    await expect(fetchFrom(stalls, 50)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('are not waited for without end when garbage was collected, which made the fetch of Node 20 deaf to the time limit', async () => {
    let isBegun = false
    const fetching = fetchFrom((_, response) => {
      response.writeHead(200).write('{', () => (isBegun = true))
    }, 2_000)
    const refused = expect(fetching).rejects.toMatchObject({ name: 'TimeoutError' })
    while (!isBegun) await new Promise(setImmediate)
    await collectGarbage()
    await refused
  })
})
