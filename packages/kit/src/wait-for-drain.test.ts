import { EventEmitter } from 'node:events'
import { waitForDrain } from './wait-for-drain'

const newSink = () => Object.assign(new EventEmitter(), { destroyed: false })
const listeners = (sink: EventEmitter) =>
  ['drain', 'close', 'status'].map((event) => sink.listenerCount(event))

describe('waitForDrain', () => {
  it('a stream that drains often collects no listeners', async () => {
    const sink = newSink()
    for (const event of ['drain', 'close']) {
      const waited = waitForDrain(sink)
      sink.emit(event)
      await waited
      expect(listeners(sink)).toEqual([0, 0, 0])
    }
  })

  it('resolves when a call of grpc-js is cancelled', async () => {
    const sink = newSink()
    const waited = waitForDrain(sink, { endEvent: 'status' })
    sink.emit('status')
    await waited
    expect(listeners(sink)).toEqual([0, 0, 0])
  })

  it('does not wait for a stream that is destroyed', async () => {
    await waitForDrain(Object.assign(newSink(), { destroyed: true }))
  })

  it('rejects when it is aborted or the reader stalls', async () => {
    const sink = newSink()
    const controller = new AbortController()
    const aborted = waitForDrain(sink, { signal: controller.signal, timeoutMs: 60_000 })
    controller.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    await expect(waitForDrain(sink, { timeoutMs: 1 })).rejects.toThrow('stalled')
    expect(listeners(sink)).toEqual([0, 0, 0])
  })

  it('rejects at once for a signal that was aborted before', async () => {
    const sink = newSink()
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(waitForDrain(sink, { signal, timeoutMs: 60_000 })).rejects.toThrow('gone')
    expect(listeners(sink)).toEqual([0, 0, 0])
  })
})
