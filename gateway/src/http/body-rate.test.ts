import { PassThrough } from 'node:stream'
import { watchSender } from './body-rate'

describe('the rate of a body', () => {
  let body: PassThrough
  let slow: jest.Mock
  beforeEach(() => {
    jest.useFakeTimers()
    body = new PassThrough({ highWaterMark: 1 })
    slow = jest.fn()
  })
  afterEach(() => {
    body.destroy()
    jest.useRealTimers()
  })

  /** Sends so many bytes at the end of each of these seconds. */
  const drip = async (seconds: number, bytes: number) => {
    for (let second = 0; second < seconds; second++) {
      body.write(Buffer.alloc(bytes))
      await jest.advanceTimersByTimeAsync(1000)
    }
  }

  it('is too low for a client that sends a byte now and then', async () => {
    watchSender(body, 60_000, slow)
    await drip(19, 1)
    expect(slow).not.toHaveBeenCalled()
    await drip(2, 1)
    expect(slow).toHaveBeenCalledTimes(1)
    await drip(60, 1)
    expect(slow).toHaveBeenCalledTimes(1)
  })

  it('is enough for a slow connection, however long the body takes', async () => {
    watchSender(body, 60_000, slow)
    await drip(300, 600)
    expect(slow).not.toHaveBeenCalled()
  })

  it('does not count while nothing is requested', async () => {
    watchSender(body, 60_000, slow)
    await drip(5, 600)
    body.pause()
    await jest.advanceTimersByTimeAsync(300_000)
    expect(slow).not.toHaveBeenCalled()
    body.resume()
    await drip(60, 600)
    expect(slow).not.toHaveBeenCalled()
  })

  it('is no longer measured when the body has ended', async () => {
    const watch = watchSender(body, 60_000, slow)
    await drip(1, 1)
    body.end()
    await jest.advanceTimersByTimeAsync(100_000)
    watch.stop()
    expect(slow).not.toHaveBeenCalled()
    expect(jest.getTimerCount()).toBe(0)
  })
})
