import { renderTree, type Span } from './span-tree'

const span = (spanId: string, parentSpanId: string, more: Partial<Span>): Span => ({
  service: 'sheaf-gateway',
  name: spanId,
  traceId: 't',
  spanId,
  parentSpanId,
  start: 1_000,
  end: 1_100,
  isError: false,
  facts: {},
  ...more,
})

describe('the tree of a request', () => {
  it('shows each span below its parent, with its start, in chronological order', () => {
    const root = span('root', 'client', { name: 'POST /api/docs', end: 1_900.25 })
    const call = span('call', 'root', { start: 1_000.5, end: 1_890, isError: true })
    const early = span('early', 'call', { start: 1_001, end: 1_002, service: 'sheaf-directory' })
    const late = span('late', 'call', {
      start: 1_003,
      end: 1_880,
      service: 'sheaf-document-data',
      facts: { commit_ms: 870.1 },
    })
    expect(renderTree(root, [late, early, call, root])).toEqual([
      '   +0.0 ms    900.3 ms  gateway        POST /api/docs',
      '   +0.5 ms    889.5 ms  gateway          call  FAILED',
      '   +1.0 ms      1.0 ms  directory          early',
      '   +3.0 ms    877.0 ms  document-data      late  commit_ms=870.1',
    ])
  })

  it('is limited for spans that form a cycle, and for very many', () => {
    const root = span('root', 'other', {})
    expect(renderTree(root, [root, span('other', 'root', {})]).length).toBeLessThan(60)
    const many = Array.from({ length: 100 }, (_, number) => span(`s${number}`, 'root', {}))
    const lines = renderTree(root, [root, ...many])
    expect(lines).toHaveLength(61)
    expect(lines.at(-1)).toBe('… and 41 more')
  })
})
