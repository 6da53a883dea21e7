import { ChannelCache } from './channel-cache'
import type { GrpcChannel } from './client'

describe('ChannelCache', () => {
  it('opens one channel for each address and closes the one that was unused for the longest time', async () => {
    const closed: string[] = []
    const observe = (channel: GrpcChannel) => {
      const close = channel.close.bind(channel)
      channel.close = () => {
        closed.push(channel.address)
        close()
      }
      return channel
    }
    const cache = new ChannelCache(observe, {}, 2)
    const first = cache.at('127.0.0.1:1')
    cache.at('127.0.0.1:2')
    expect(cache.at('127.0.0.1:1')).toBe(first)
    cache.at('127.0.0.1:3')
    expect(closed).toEqual(['127.0.0.1:2'])
    await cache[Symbol.asyncDispose]()
    expect(closed.sort()).toEqual(['127.0.0.1:1', '127.0.0.1:2', '127.0.0.1:3'])
  })
})
