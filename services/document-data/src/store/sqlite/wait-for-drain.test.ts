import { EventEmitter } from 'node:events'
import { drained } from './wait-for-drain'

it('a stream that drains often collects no listeners', async () => {
  const sink = Object.assign(new EventEmitter(), { destroyed: false })
  for (const event of ['drain', 'close']) {
    const waited = drained(sink)
    sink.emit(event)
    await waited
    expect([sink.listenerCount('drain'), sink.listenerCount('close')]).toEqual([0, 0])
  }
})
