import { EventEmitter } from 'node:events'
import { writeUpload } from './upload'

/** A receiver that takes one message at a time. */
class SlowReceiver extends EventEmitter {
  taken = 0
  most = 0
  isEnded = false

  write(): boolean {
    this.taken++
    this.most = Math.max(this.most, this.listenerCount('drain'), this.listenerCount('status'))
    setImmediate(() => this.emit('drain'))
    return false
  }

  end(): void {
    this.isEnded = true
  }
}

async function* messages(count: number) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(1)
}

describe('an upload', () => {
  it('collected a listener for each message that its receiver did not take at once', async () => {
    const receiver = new SlowReceiver()
    await writeUpload(receiver, messages(50))
    expect(receiver).toMatchObject({ taken: 50, most: 1, isEnded: true })
    expect([receiver.listenerCount('drain'), receiver.listenerCount('status')]).toEqual([0, 1])
  })

  it('ends without its end when the call has ended', async () => {
    const receiver = new SlowReceiver()
    setImmediate(() => receiver.emit('status'))
    await writeUpload(receiver, messages(1_000_000))
    expect(receiver.taken).toBeLessThan(10)
    expect(receiver.isEnded).toBe(false)
  })
})
