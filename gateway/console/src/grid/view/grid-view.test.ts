import type { Column } from '../../api/resources'
import {
  goneKeys,
  readView,
  viewParameters,
  withNextSort,
  withoutGoneKeys,
  withSort,
  writeView,
} from './grid-view'

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

describe('the keys of a view', () => {
  const columns = [{ id: 'Name', fields: { colRef: 7 } }] as unknown as Column[]
  const read = (query: string) => readView(new URLSearchParams(query))

  it('are told apart by whether their columns exist, as ids, refs and with flags', () => {
    const view = read('sort=Name:naturalSort,-Gone,id,manualSort,7,8&group=-Name,Lost')
    expect(goneKeys(view, columns)).toEqual([
      { colId: 'Lost', isGroup: true },
      { colId: 'Gone', isGroup: false },
      { colId: '8', isGroup: false },
    ])
    expect(viewParameters(withoutGoneKeys(view, columns))).toEqual({
      sort: 'Name:naturalSort,id,manualSort,7',
      group: '-Name',
      filter: '',
    })
  })

  it('are left alone, in the same view, if all of their columns exist', () => {
    const view = read('sort=Name&group=Name')
    expect(withoutGoneKeys(view, columns)).toBe(view)
    expect(withoutGoneKeys(read('group=Lost'), columns)).toEqual(read(''))
  })
})
