import { AHEAD, WorkerRead } from './worker-read'

/** A read whose thread is this test. */
function startRead(signal?: AbortSignal) {
  const told: string[] = []
  const line = { more: () => told.push('more'), end: () => told.push('end') }
  const read = new WorkerRead(line, { signal, maxAgeMs: 60_000 }, () => told.push('ended'))
  const send = (text: string) =>
    read.receive({ kind: 'chunk', id: 1, bytes: new TextEncoder().encode(text).buffer })
  return { told, read, send }
}

describe('a read in a thread', () => {
  it('asks for another chunk only when one is taken', async () => {
    const { told, read, send } = startRead()
    read.receive({ kind: 'begun', id: 1, seq: 7 })
    expect(await read.begun).toBe(7)
    for (let i = 0; i < AHEAD; i++) send(`${i}`)
    expect(told).toEqual([])
    const taken: string[] = []
    for await (const chunk of read.chunks()) {
      taken.push(chunk.toString())
      expect(told.filter((word) => word === 'more')).toHaveLength(taken.length)
      if (taken.length === 1) read.receive({ kind: 'done', id: 1 })
    }
    expect(taken).toEqual(['0', '1'])
    expect(told).toEqual(['more', 'ended', 'more'])
  })

  it('ends the work of the thread when whoever reads stops', async () => {
    const { told, read, send } = startRead()
    send('0')
    for await (const chunk of read.chunks()) {
      expect(chunk.toString()).toBe('0')
      break
    }
    expect(told).toEqual(['more', 'end', 'ended'])
    send('late')
    read.receive({ kind: 'done', id: 1 })
    expect(told).toHaveLength(3)
  })

  it('fails at once when the call ends, also while a chunk is awaited', async () => {
    const call = new AbortController()
    const { told, read } = startRead(call.signal)
    const next = read.chunks().next()
    call.abort()
    await expect(next).rejects.toMatchObject({ reason: 'CALL_ENDED' })
    await expect(read.begun).rejects.toMatchObject({ reason: 'CALL_ENDED' })
    expect(told).toEqual(['end', 'ended'])
  })

  it('does not begin for a call that has ended', async () => {
    const { told, read } = startRead(AbortSignal.abort())
    await expect(read.begun).rejects.toMatchObject({ code: 'timeout' })
    expect(told).toEqual(['end', 'ended'])
  })
})
