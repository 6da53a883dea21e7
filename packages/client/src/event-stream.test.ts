import fc from 'fast-check'
import { readEvents, type ServerEvent } from './event-stream.ts'

async function parse(chunks: readonly Uint8Array[]): Promise<ServerEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const found: ServerEvent[] = []
  for await (const event of readEvents(body, () => {})) found.push(event)
  return found
}

describe('server-sent events', () => {
  it('are parsed with names, comments, several lines of data, and other fields', async () => {
    const text =
      'retry: 1000\n\n:\n\nid: 1\nevent: change\ndata: {"a":1}\n\nevent: end\r\ndata:x\r\ndata:  y\r\n\r\ndata: cut off\n'
    expect(await parse([new TextEncoder().encode(text)])).toEqual([
      { name: 'change', data: '{"a":1}' },
      { name: 'end', data: 'x\n y' },
    ])
  })

  it('are the same however their bytes are divided', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' '))
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(400)), async (texts, cuts) => {
        const bytes = new TextEncoder().encode(
          texts.map((text) => `event: change\ndata: ${text}\n\n`).join(''),
        )
        const ends = [...cuts.filter((end) => end < bytes.length).sort((a, b) => a - b), Infinity]
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        expect(await parse(chunks)).toEqual(texts.map((data) => ({ name: 'change', data })))
      }),
    )
  })
})
