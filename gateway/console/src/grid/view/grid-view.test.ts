import { readView, viewParameters, withNextSort, withSort, writeView } from './grid-view'

const none = { sort: [], filter: {} }

describe('the view of a grid', () => {
  it('is unchanged after a round trip through a URL, and keeps other parameters', () => {
    const view = {
      sort: [
        { colId: 'Name', isDescending: false },
        { colId: 'Born', isDescending: true },
      ],
      filter: { Name: { contains: 'a&b', ignoreCase: true }, Age: [3, null] },
    }
    const query = writeView(new URLSearchParams('tab=1'), view)
    expect(query.get('tab')).toBe('1')
    expect(readView(new URLSearchParams(query.toString()))).toEqual(view)
    expect(viewParameters(view).sort).toBe('Name,-Born')
    expect(writeView(query, none).toString()).toBe('tab=1')
  })

  it.each(['sort=,-,&filter=', 'filter=[1]', 'filter=7', 'filter={"a"', ''])(
    'is the whole table if the URL is invalid: %s',
    (text) => {
      expect(readView(new URLSearchParams(text))).toEqual(none)
    },
  )

  it('cycles through ascending, descending and unsorted', () => {
    const up = withNextSort(none, 'A', false)
    const down = withNextSort(up, 'A', false)
    expect(
      [up, down, withNextSort(down, 'A', false)].map((view) => viewParameters(view).sort),
    ).toEqual(['A', '-A', ''])
    expect(viewParameters(withNextSort(down, 'B', false)).sort).toBe('B')
  })

  it('sorts by several columns, in order', () => {
    const both = withNextSort(withNextSort(none, 'A', false), 'B', true)
    expect(viewParameters(both).sort).toBe('A,B')
    expect(viewParameters(withSort(both, 'A', 'descending', true)).sort).toBe('-A,B')
    expect(viewParameters(withSort(both, 'A', 'none', true)).sort).toBe('B')
  })
})
