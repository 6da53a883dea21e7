import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Load } from '../limits/load'
import { compressInto } from './compression'
import type { Exchange } from './exchange'

/** An exchange with a client that accepts gzip, as far as compression uses it. */
function createExchange() {
  const load = new Load({ requests: 1, bodyBytes: 1, changeStreams: 1 })
  const response = new PassThrough()
  const exchange = {
    request: { method: 'GET', headers: { 'accept-encoding': 'gzip' } },
    response,
    headers: [],
    context: { load },
  } as unknown as Exchange
  return { exchange, response, load }
}

describe('compressInto', () => {
  it('releases its slot when the response is complete', async () => {
    const { exchange, response, load } = createExchange()
    compressInto(exchange)?.end('text')
    expect(load.compressedResponses).toBe(1)
    response.resume()
    await once(response, 'close')
    expect(load.compressedResponses).toBe(0)
  })

  it('takes no slot for a client that disconnected before the response: nothing would release it', async () => {
    const { exchange, response, load } = createExchange()
    response.destroy()
    await once(response, 'close')
    const sink = compressInto(exchange)
    sink?.end(Buffer.alloc(1024 * 1024, 1))
    expect([sink, load.compressedResponses]).toEqual([undefined, 0])
  })
})
