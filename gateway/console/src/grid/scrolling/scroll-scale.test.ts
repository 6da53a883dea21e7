import fc from 'fast-check'
import { MAX_HEIGHT, ScrollScale } from './scroll-scale'

const ROW = 34
const VIEW = 800
const height = (rows: number) => rows * ROW

/** A scroll bar that does what the scale asks of it. Positions are pixels of the rows. */
class Bar {
  readonly scale = new ScrollScale()
  top = 0

  constructor(readonly rows: number) {
    this.move(this.scale.resize(height(rows), VIEW))
  }

  get position(): number {
    return this.top + this.scale.offset
  }

  get maxTop(): number {
    return this.scale.height - VIEW
  }

  get end(): number {
    return height(this.rows) - VIEW
  }

  /** By the wheel, or by the scroll bar. */
  scrollTo(top: number, isWheel = false): void {
    this.top = Math.min(this.maxTop, Math.max(0, top))
    this.move(this.scale.follow(this.top, isWheel))
  }

  show(position: number): void {
    this.scrollTo(this.scale.aimAt(position))
  }

  private move(top: number | undefined): void {
    this.top = top ?? this.top
  }
}

describe('scrolling in a table taller than an element can be', () => {
  it('is not scaled in a shorter table', () => {
    const bar = new Bar(Math.floor(MAX_HEIGHT / ROW))
    expect([bar.scale.isScaled, bar.scale.height]).toEqual([
      false,
      Math.floor(MAX_HEIGHT / ROW) * ROW,
    ])
    bar.scrollTo(2_000_000)
    expect([bar.position, bar.scale.aimAt(123)]).toEqual([2_000_000, 123])
  })

  it('reaches the first and the last row by the bar, and the middle in its middle', () => {
    const bar = new Bar(1_000_000)
    bar.scrollTo(bar.maxTop)
    expect(bar.position).toBe(bar.end)
    bar.scrollTo(bar.maxTop / 2)
    expect(Math.abs(bar.position - bar.end / 2)).toBeLessThan(2)
    bar.scrollTo(0)
    expect(bar.position).toBe(0)
  })

  it('moves by exactly as much as the wheel, however far it turns, and reaches both ends', () => {
    const bar = new Bar(200_000)
    const turn = (by: number) => {
      for (let moved = Infinity; moved !== 0;) {
        const before = bar.position
        bar.scrollTo(bar.top + by, true)
        moved = bar.position - before
        const isEnd = bar.position === 0 || bar.position === bar.end
        if (!isEnd) expect(moved).toBe(by)
      }
    }
    turn(1_200)
    expect(bar.position).toBe(bar.end)
    turn(-1_200)
    expect(bar.position).toBe(0)
  })

  it('shows any row exactly where it is wanted, whatever came before', () => {
    const move = fc.record({
      kind: fc.constantFrom('bar', 'wheel', 'show'),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.integer({ min: 120_000, max: 10_000_000 }), fc.array(move), (rows, moves) => {
        const bar = new Bar(rows)
        for (const { kind, share } of moves) {
          const before = bar.position
          if (kind === 'bar') bar.scrollTo(Math.round(share * bar.maxTop))
          else if (kind === 'wheel') {
            const by = Math.round((share - 0.5) * 4_000)
            const wasInside = bar.top + by > 0 && bar.top + by < bar.maxTop
            bar.scrollTo(bar.top + by, true)
            if (wasInside) expect(bar.position - before).toBe(by)
          } else {
            const wanted = Math.round(share * bar.end)
            bar.show(wanted)
            expect(bar.position).toBe(wanted)
          }
          expect(Number.isInteger(bar.scale.offset)).toBe(true)
          expect(bar.position).toBeGreaterThanOrEqual(0)
          expect(bar.position).toBeLessThanOrEqual(bar.end)
        }
      }),
    )
  })

  it('stays where it is when rows are added or removed, and ends at the last row', () => {
    const bar = new Bar(1_000_000)
    bar.show(20_000_000)
    bar.scale.resize(height(1_000_001), VIEW)
    expect(bar.position).toBe(20_000_000)
    const short = new Bar(1_000_000)
    short.scrollTo(short.maxTop)
    short.scale.resize(height(130_000), VIEW)
    expect(short.scale.offset).toBe(height(130_000) - MAX_HEIGHT)
  })
})
