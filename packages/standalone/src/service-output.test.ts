import { renderLine, summarizeLine } from './service-output'

const entry = {
  level: 30,
  time: '2025-01-02T03:04:05.678Z',
  service: 'gateway',
  name: 'gateway',
  address: '127.0.0.1:8484',
  rows: 3,
  msg: 'listening',
}

describe('renderLine', () => {
  it('formats a log entry as one readable line', () => {
    expect(renderLine('gateway', JSON.stringify(entry), 'readable')).toBe(
      'gateway        03:04:05  listening  address=127.0.0.1:8484  rows=3',
    )
    const failed = {
      ...entry,
      level: 50,
      msg: 'failed',
      err: { message: 'no', stack: 'Error: no\n  at x' },
    }
    expect(renderLine('document-data', JSON.stringify(failed), 'readable')).toBe(
      'document-data  03:04:05  ERROR  failed  address=127.0.0.1:8484  rows=3  Error: no\n  at x',
    )
  })

  it('passes through text that is not a log entry', () => {
    expect(renderLine('webhook', 'Segmentation fault', 'readable')).toBe(
      'webhook        Segmentation fault',
    )
    expect(renderLine('webhook', '{broken', 'readable')).toBe('webhook        {broken')
  })

  it('passes through complete JSON entries when the output is for programs', () => {
    const line = JSON.stringify(entry)
    expect(renderLine('gateway', line, 'raw')).toBe(`gateway ${line}`)
  })
})

describe('summarizeLine', () => {
  it('keeps the message of a failure', () => {
    const failed = { ...entry, msg: 'failed', err: { message: 'no disk', stack: 'Error: no disk' } }
    expect(summarizeLine(JSON.stringify(failed))).toBe('failed: no disk')
    expect(summarizeLine('Segmentation fault')).toBe('Segmentation fault')
  })
})
