import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import type { Exchange } from './exchange'
import { readForm, type FormPart } from './multipart'

const BOUNDARY = 'xyz'
const STALL_MS = 150
const MIB = 1024 * 1024
const MAX_BODY = MIB

const field = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileHead = (name: string, fileName: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: text/csv\r\n\r\n`
const END = `--${BOUNDARY}--\r\n`

/** A request whose body is written by the test. */
function begin(headers: Record<string, string> = {}) {
  const stop = new AbortController()
  const type = `multipart/form-data; boundary=${BOUNDARY}`
  const request = Object.assign(new PassThrough(), {
    headers: { 'content-type': type, ...headers },
  })
  const continued = jest.fn()
  const exchange = {
    request,
    response: { writeContinue: continued },
    signal: stop.signal,
    context: { config: { timeouts: { stallMs: STALL_MS }, maxBodyBytes: MAX_BODY } },
  } as unknown as Exchange
  return { exchange, request, stop, continued }
}

/** Reads a part with all of its bytes. */
async function take(part: FormPart): Promise<unknown> {
  if (part.kind === 'field') return [part.name, part.value]
  const chunks: Buffer[] = []
  for await (const chunk of part.bytes) chunks.push(chunk)
  return [part.name, part.fileName, part.mediaType, Buffer.concat(chunks).toString('latin1')]
}

async function takeAll(exchange: Exchange): Promise<unknown[]> {
  const parts: unknown[] = []
  for await (const part of readForm(exchange)) parts.push(await take(part))
  return parts
}

describe('a form', () => {
  it('gives its parts in their order, whatever they hold and however they arrive', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(bytes, bytes, fc.integer({ min: 1, max: 64 }), async (one, two, step) => {
        const { exchange, request } = begin()
        const whole = Buffer.concat([
          Buffer.from(field('name', 'Städte') + fileHead('upload', 'Städte.csv')),
          one,
          Buffer.from(`\r\n${fileHead('more', 'b.csv')}`),
          two,
          Buffer.from(`\r\n${field('last', '1')}${END}`),
        ])
        for (let at = 0; at < whole.length; at += step) request.write(whole.subarray(at, at + step))
        request.end()
        expect(await takeAll(exchange)).toEqual([
          ['name', 'Städte'],
          ['upload', 'Städte.csv', 'text/csv', Buffer.from(one).toString('latin1')],
          ['more', 'b.csv', 'text/csv', Buffer.from(two).toString('latin1')],
          ['last', '1'],
        ])
      }),
      { numRuns: 50 },
    )
  })

  it('asks for the body only when it is wanted', async () => {
    const { exchange, request, continued } = begin({ expect: '100-continue' })
    const parts = readForm(exchange)
    expect(continued).not.toHaveBeenCalled()
    request.end(END)
    expect(await parts.next()).toEqual({ done: true, value: undefined })
    expect(continued).toHaveBeenCalledTimes(1)
  })

  it('lets go by what nobody takes of a file', async () => {
    const { exchange, request } = begin()
    request.end(`${fileHead('a', 'a.csv')}${'x'.repeat(500_000)}\r\n${field('b', '2')}${END}`)
    const names: string[] = []
    for await (const part of readForm(exchange)) {
      names.push(part.name)
      if (part.kind === 'field') continue
      const bytes = part.bytes[Symbol.asyncIterator]()
      expect((await bytes.next()).done).toBe(false)
      await bytes.return?.()
    }
    expect(names).toEqual(['a', 'b'])
  })

  it.each<[string, string, string]>([
    ['before its first part', '', `\r\n${END}`],
    ['in a part without a name', `--${BOUNDARY}\r\nContent-Type: text/csv\r\n\r\n`, `\r\n${END}`],
    ['in a value', `${field('a', '1')}${fileHead('a', 'a').split('; filename')[0]}\r\n\r\n`, END],
  ])('lets no more flow by %s than a body may have', async (_, head, tail) => {
    const { exchange, request } = begin()
    const sent = pipeline([head, ...Array(64).fill('x'.repeat(MIB / 4)), tail], request)
    await expect(takeAll(exchange)).rejects.toMatchObject({ reason: 'BODY_TOO_LARGE' })
    expect(request.readableEnded).toBe(false)
    request.destroy()
    await expect(sent).rejects.toThrow()
  })

  it('reads nothing that follows its end', async () => {
    const { exchange, request } = begin()
    const sent = pipeline([field('a', '1'), END, ...Array(64).fill('x'.repeat(MIB / 4))], request)
    await takeAll(exchange).catch((error: unknown) =>
      expect(error).toMatchObject({ reason: 'BODY_TOO_LARGE' }),
    )
    expect(request.readableEnded).toBe(false)
    request.destroy()
    await expect(sent).rejects.toThrow()
  })

  it('may have files of any size that are taken', async () => {
    const { exchange, request } = begin()
    const chunks = Array<string>(64).fill('x'.repeat(MIB / 4))
    const sent = pipeline([fileHead('a', 'a.csv'), ...chunks, `\r\n${END}`], request)
    const [part] = (await takeAll(exchange)) as string[][]
    expect(part?.[3]).toHaveLength(16 * MIB)
    await sent
  })

  it('waits for a slow reader, and not for a sender who stalls', async () => {
    const slow = begin()
    slow.request.end(`${fileHead('a', 'a.csv')}${'x'.repeat(3_000_000)}\r\n${END}`)
    for await (const part of readForm(slow.exchange)) {
      await delay(2 * STALL_MS)
      expect(await take(part)).toHaveLength(4)
    }

    const { exchange, request } = begin()
    request.write(`${fileHead('a', 'a.csv')}x`)
    const parts = readForm(exchange)
    const { value } = await parts.next()
    const rest = parts.next()
    await expect(take(value as FormPart)).rejects.toMatchObject({ reason: 'REQUEST_TIMEOUT' })
    await expect(rest).rejects.toMatchObject({ code: 'timeout', reason: 'REQUEST_TIMEOUT' })
  })

  it('ends with the request', async () => {
    const { exchange, request, stop } = begin()
    request.write(`${fileHead('a', 'a.csv')}x`)
    const parts = readForm(exchange)
    const { value } = await parts.next()
    const outcomes = Promise.allSettled([take(value as FormPart), parts.next()])
    const reason = new Error('gone')
    stop.abort(reason)
    expect(await outcomes).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ])
    expect(request.listenerCount('data')).toBe(0)
  })

  it.each<[string, string, Record<string, string>, object]>([
    ['breaks off in a file', `${fileHead('a', 'a')}x`, {}, { reason: 'MALFORMED_FORM' }],
    ['breaks off in a field', '--xyz\r\nContent-Dis', {}, { reason: 'MALFORMED_FORM' }],
    ['has no part at all', 'hello', {}, { reason: 'MALFORMED_FORM' }],
    [
      'has too long a value',
      field('a', 'x'.repeat(70_000)) + END,
      {},
      { reason: 'MALFORMED_FORM' },
    ],
    [
      'has too many fields',
      field('a', 'x').repeat(200) + END,
      {},
      { code: 'too_large', reason: 'FORM_TOO_LARGE' },
    ],
    [
      'has no boundary',
      END,
      { 'content-type': 'multipart/form-data' },
      { reason: 'MALFORMED_FORM' },
    ],
    [
      'is none',
      '{}',
      { 'content-type': 'application/json' },
      { code: 'unsupported_media', reason: 'NO_FORM' },
    ],
    [
      'is not compressed as it says',
      END,
      { 'content-encoding': 'gzip' },
      { reason: 'BODY_UNREADABLE' },
    ],
    [
      'is compressed in an unknown way',
      END,
      { 'content-encoding': 'compress' },
      { code: 'unsupported_media', reason: 'UNSUPPORTED_ENCODING' },
    ],
  ])('that %s is refused', async (_, body, headers, expected) => {
    const { exchange, request } = begin(headers)
    request.end(body)
    await expect(takeAll(exchange)).rejects.toMatchObject(expected)
  })
})
