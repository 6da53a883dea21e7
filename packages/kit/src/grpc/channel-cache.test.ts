import { ChannelCache } from './channel-cache'
import type { GrpcChannel } from './client'

const MINUTE_MS = 60_000
const address = (port: number) => `127.0.0.1:${port}`

function newCache(maxChannels: number) {
  const closed: string[] = []
  const observe = (channel: GrpcChannel) => {
    const close = channel.close.bind(channel)
    channel.close = () => {
      closed.push(channel.address)
      close()
    }
    return channel
  }
  return { cache: new ChannelCache(observe, {}, maxChannels), closed }
}

describe('ChannelCache', () => {
  afterEach(() => jest.restoreAllMocks())

  it('opens one channel for each address, evicts the least recently used one, and closes all in the end', async () => {
    const { cache, closed } = newCache(2)
    const [first, second] = [cache.at(address(1)), cache.at(address(2))]
    expect(cache.at(address(1))).toBe(first)
    cache.at(address(3))
    expect(cache.at(address(1))).toBe(first)
    expect(cache.at(address(2))).not.toBe(second)
    await cache[Symbol.asyncDispose]()
    expect(closed.sort()).toEqual([1, 2, 2, 3].map(address))
  })

  it('does not break calls that run on a channel when it is evicted, and closes it minutes later', async () => {
    const { cache, closed } = newCache(1)
    const now = performance.now()
    cache.at(address(1))
    cache.at(address(2))
    expect(closed).toEqual([])
    jest.spyOn(performance, 'now').mockReturnValue(now + 10 * MINUTE_MS)
    cache.at(address(3))
    expect(closed).toEqual([address(1)])
    await cache[Symbol.asyncDispose]()
  })

  it('keeps no more evicted channels open than there may be channels', async () => {
    const { cache, closed } = newCache(2)
    for (let port = 1; port <= 6; port++) cache.at(address(port))
    expect(closed).toEqual([1, 2].map(address))
    await cache[Symbol.asyncDispose]()
  })
})
