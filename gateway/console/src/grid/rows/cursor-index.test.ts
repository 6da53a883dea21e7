import fc from 'fast-check'
import { CursorIndex } from './cursor-index'

describe('the index of cursors', () => {
  it('starts at the first row', () => {
    expect(new CursorIndex().nearest(250)).toEqual({ cursor: '', offset: 250 })
  })

  it('returns the closest cursor before a page', () => {
    const index = new CursorIndex()
    index.add(300, 'c')
    index.add(100, 'a')
    expect(index.nearest(100)).toEqual({ cursor: 'a', offset: 0 })
    expect(index.nearest(299)).toEqual({ cursor: 'a', offset: 199 })
    expect(index.nearest(1_000)).toEqual({ cursor: 'c', offset: 700 })
    index.clear()
    expect(index.nearest(300)).toEqual({ cursor: '', offset: 300 })
  })

  it('always leads to the requested position', () => {
    const position = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(fc.array(position), position, (known, requested) => {
        const index = new CursorIndex()
        for (const at of known) index.add(at, at === 0 ? '' : String(at))
        const { cursor, offset } = index.nearest(requested)
        const best = Math.max(0, ...known.filter((at) => at <= requested))
        expect([Number(cursor), Number(cursor) + offset]).toEqual([best, requested])
      }),
    )
  })

  it('keeps a bounded number of positions, spread over the table', () => {
    const index = new CursorIndex()
    for (let page = 1; page <= 10_000; page++) index.add(page * 100, String(page * 100))
    for (const requested of [150_050, 500_000, 999_999])
      expect(index.nearest(requested).offset).toBeLessThan(1_000)
  })
})
