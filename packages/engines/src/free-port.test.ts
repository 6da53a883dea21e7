import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { freePort } from './free-port'

describe('freePort', () => {
  it('returns the preferred port if it is free, otherwise another one', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await freePort('127.0.0.1', port)).not.toBe(port)
    await new Promise((resolve) => server.close(resolve))
    expect(await freePort('127.0.0.1', port)).toBe(port)
  })
})
