import { ScaledHeightsModule } from './scaled-heights'
import { MAX_HEIGHT } from './scroll-scale'

const VIEW = 800

/** The part of the service that AG Grid uses. */
interface Heights {
  readonly stretching: boolean
  wireBeans(beans: object): void
  postConstruct(): void
  updateOffset(): void
  setModelHeight(height: number | null): void
  getRealPixelPosition(position: number): number
}

/** The service in a grid whose view is scrolled by `scrollTo`. */
function openGrid(): { heights: Heights; scrollTo: (top: number) => void; top: () => number } {
  const [Service] = (ScaledHeightsModule as unknown as { beans: [new () => Heights] }).beans
  const heights = new Service()
  let top = 0
  const setVerticalScrollPosition = (wanted: number) => {
    top = wanted
  }
  const getVScrollPosition = () => ({ top, bottom: top + VIEW })
  heights.wireBeans({
    eventSvc: { addListener() {}, removeListener() {}, dispatchEvent() {} },
    ctrlsSvc: {
      whenReady() {},
      getScrollFeature: () => ({ getVScrollPosition, setVerticalScrollPosition }),
    },
  })
  heights.postConstruct()
  const scrollTo = (wanted: number) => {
    top = wanted
    heights.updateOffset()
  }
  return { heights, scrollTo, top: () => top }
}

describe('a table that becomes taller than an element can be', () => {
  it('stays at the rows in view', () => {
    const { heights, scrollTo, top } = openGrid()
    heights.setModelHeight(MAX_HEIGHT - 34)
    scrollTo(2_500_000)
    heights.setModelHeight(MAX_HEIGHT + 34)
    expect(heights.stretching).toBe(true)
    expect(heights.getRealPixelPosition(2_500_000) - top()).toBe(0)
    scrollTo(top() + 100)
    expect(top() - heights.getRealPixelPosition(2_500_000)).toBe(100)
  })

  it('stays at its last rows, which are no longer the last', () => {
    const { heights, scrollTo, top } = openGrid()
    heights.setModelHeight(MAX_HEIGHT)
    scrollTo(MAX_HEIGHT - VIEW)
    heights.setModelHeight(MAX_HEIGHT + 340)
    scrollTo(top())
    expect(heights.getRealPixelPosition(MAX_HEIGHT - VIEW) - top()).toBe(0)
  })
})
