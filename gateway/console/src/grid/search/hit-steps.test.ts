import type { Row } from '../../api/resources'
import { plainPlaces } from '../rows/row-places'
import { findHit, type Hit, type HitSource } from './hit-steps'

/** Rows of three cells; x is a hit. */
function sourceOf(...rows: readonly string[]): HitSource {
  return {
    rowCount: rows.length,
    columnCount: 3,
    nextRow: plainPlaces.nextRow,
    load: (index) => Promise.resolve({ id: index, fields: {} }),
    isHit: ({ id }: Row, column) => Promise.resolve(rows[id]?.[column] === 'x'),
  }
}
const at = (row: number, column: number): Hit => ({ row, column })
const source = sourceOf('.x.', '...', 'x.x')

describe('the next hit', () => {
  it('follows in its row, then in the next rows, and after the last one comes the first', async () => {
    let hit = await findHit(source, undefined, 1)
    const found = [hit]
    for (let i = 0; i < 3; i++) found.push((hit = await findHit(source, hit, 1)))
    expect(found).toEqual([at(0, 1), at(2, 0), at(2, 2), at(0, 1)])
  })

  it('is found backwards as well', async () => {
    let hit = await findHit(source, undefined, -1)
    const found = [hit]
    for (let i = 0; i < 3; i++) found.push((hit = await findHit(source, hit, -1)))
    expect(found).toEqual([at(2, 2), at(2, 0), at(0, 1), at(2, 2)])
  })

  it('is the same one when there is no other', async () => {
    expect(await findHit(sourceOf('.x.'), at(0, 1), 1)).toEqual(at(0, 1))
  })

  it('is none without rows, without hits, and when rows cannot be loaded', async () => {
    expect(await findHit(sourceOf(), undefined, 1)).toBeUndefined()
    expect(await findHit(sourceOf('...', '...'), at(1, 1), -1)).toBeUndefined()
    const away = { ...source, load: () => Promise.resolve(undefined) }
    expect(await findHit(away, undefined, 1)).toBeUndefined()
  })

  it('is found after rows that are no more', async () => {
    expect(await findHit(source, at(9, 2), 1)).toEqual(at(0, 1))
  })
})
