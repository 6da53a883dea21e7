import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { FrameReader, FrameTooLarge, writeFrame } from './frames'

const MAX_BYTES = 1000

/** The bytes of frames on the wire. */
async function encode(frames: readonly Uint8Array[]): Promise<Buffer> {
  const stream = new PassThrough({ highWaterMark: 1e6 })
  for (const frame of frames) await writeFrame(stream, frame, MAX_BYTES)
  return (stream.read() as Buffer | null) ?? Buffer.alloc(0)
}

describe('frames', () => {
  it('are the same however the bytes are split into chunks', async () => {
    const frame = fc.uint8Array({ maxLength: 300 })
    const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 12 }), cuts, async (frames, sizes) => {
        const bytes = await encode(frames)
        const reader = new FrameReader(MAX_BYTES)
        const read: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          // Chunks may be empty; the last size keeps the loop moving.
          const size = sizes[turn % sizes.length] || turn % 2
          read.push(...reader.read(bytes.subarray(at, at + size)))
          at += size
        }
        expect(read.map((one) => [...one])).toEqual(frames.map((one) => [...one]))
      }),
    )
  })

  it('do not share memory with the chunks that they came in', async () => {
    const bytes = await encode([Buffer.from('abc')])
    const [frame] = new FrameReader(MAX_BYTES).read(bytes)
    bytes.fill(0)
    expect(String(frame)).toBe('abc')
  })

  it('above the limit are refused by writer and reader, also when the length is all that has arrived', async () => {
    await expect(encode([Buffer.alloc(MAX_BYTES + 1)])).rejects.toThrow(FrameTooLarge)
    const [largest] = new FrameReader(MAX_BYTES).read(await encode([Buffer.alloc(MAX_BYTES, 7)]))
    expect(largest).toHaveLength(MAX_BYTES)
    const header = Buffer.from([0xff, 0xff, 0xff, 0xff])
    const reader = new FrameReader(MAX_BYTES)
    expect(reader.read(header.subarray(0, 3))).toEqual([])
    expect(() => reader.read(header.subarray(3))).toThrow('4294967295 bytes exceeds the limit')
  })

  it('that the stream cannot take reject their writer', async () => {
    const stream = new PassThrough()
    stream.on('error', () => {})
    stream.destroy(new Error('broken pipe'))
    await expect(writeFrame(stream, Buffer.from('x'), MAX_BYTES)).rejects.toThrow()
  })
})
