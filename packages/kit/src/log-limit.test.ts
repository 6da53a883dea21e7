import pino from 'pino'
import { LogLimit } from './log-limit'
import { limitRepetition } from './logger'

interface Line {
  readonly level: number
  readonly msg: string
  readonly suppressed?: number
  readonly docId?: string
  readonly err?: { readonly message: string; readonly stack?: string; readonly code?: string }
}

function createLimited(windowMs?: number) {
  const lines: Line[] = []
  const limit = new LogLimit(windowMs)
  const write = (text: string) => lines.push(JSON.parse(text) as Line)
  const log = pino({ hooks: limitRepetition(limit) }, { write })
  return { log, lines, limit }
}

const fail = (message: string, code?: string) => Object.assign(new Error(message), { code })
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('repeated failures in the log', () => {
  it('are five lines, one stack, and a number', () => {
    const { log, lines, limit } = createLimited()
    const failOnce = (index: number) => {
      log.error({ err: fail(`full ${index}`, 'SQLITE_FULL'), docId: `d${index}` }, 'a file failed')
    }
    for (const index of range(1_000)) failOnce(index)
    limit[Symbol.dispose]()
    expect(lines).toHaveLength(6)
    expect(lines.filter(({ err }) => err?.stack)).toHaveLength(1)
    expect(lines[4]).toMatchObject({
      docId: 'd4',
      msg: 'a file failed',
      err: { message: 'full 4', code: 'SQLITE_FULL' },
    })
    expect(lines[5]).toMatchObject({ level: 50, suppressed: 995, msg: 'a file failed (repeated)' })
  })

  it('of another kind, reason or place are counted apart', () => {
    const { log, lines, limit } = createLimited()
    const here = () => fail('away')
    const there = () => fail('away')
    range(20).forEach(() => {
      log.warn({ err: here() }, 'retrying')
      log.warn({ err: there() }, 'retrying')
      log.warn({ reason: 'refused' }, 'retrying')
      log.warn('retrying')
    })
    expect(lines).toHaveLength(20)
    limit[Symbol.dispose]()
    expect(lines.slice(20).map(({ suppressed }) => suppressed)).toEqual([15, 15, 15, 15])
  })

  it('are written again when the window has ended', () => {
    jest.useFakeTimers()
    try {
      const { log, lines } = createLimited(60_000)
      range(7).forEach(() => log.warn({ err: fail('away') }, 'retrying'))
      jest.advanceTimersByTime(60_000)
      expect(lines.at(-1)).toMatchObject({ level: 40, suppressed: 2, msg: 'retrying (repeated)' })
      log.warn({ err: fail('away') }, 'retrying')
      expect(lines).toHaveLength(7)
      expect(lines.at(-1)?.err?.stack).toBeDefined()
    } finally {
      jest.useRealTimers()
    }
  })

  it('of very many kinds are bounded too', () => {
    const { log, lines, limit } = createLimited()
    for (const index of range(10_000)) log.warn({ reason: `r${index}` }, 'retrying')
    expect(lines).toHaveLength(105)
    limit[Symbol.dispose]()
    expect(lines).toHaveLength(106)
    expect(lines.at(-1)).toMatchObject({ suppressed: 9_895 })
  })

  it('have no part in ordinary and fatal lines, and children write as themselves', () => {
    const { log, lines } = createLimited()
    const child = log.child({ docId: 'child' })
    range(20).forEach(() => {
      log.info('request')
      log.fatal('ended')
      child.warn('retrying')
    })
    expect(lines).toHaveLength(45)
    expect(lines.filter(({ docId }) => docId === 'child')).toHaveLength(5)
  })
})
