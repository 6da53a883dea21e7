import { sampleColumnOf } from '../../formats/column'
import { boardSettings, laneColumn, makesLanes } from './board-settings'

const columnOf = (id: string, type: string) => ({ ...sampleColumnOf(type), id })
const columns = [
  ...['A', 'B', 'C'].map((id) => columnOf(id, 'Text')),
  columnOf('Status', 'Choice'),
  ...['D', 'E', 'F'].map((id) => columnOf(id, 'Date')),
]

describe('a new board', () => {
  it('has lanes by the first column with choices, and some of the others on its cards', () => {
    const { type, groupBy, columns: listed = [] } = boardSettings(columns)
    expect({ type, groupBy }).toEqual({ type: 'board', groupBy: ['Status'] })
    expect(listed.filter(({ hidden }) => hidden !== true).map(({ id }) => id)).toEqual([
      'A',
      'B',
      'C',
      'D',
      'E',
    ])
    expect(listed.map(({ id }) => id)).toEqual(columns.map(({ id }) => id))
  })

  it('has no lanes without a column with choices', () => {
    expect(boardSettings(columns.slice(0, 3)).groupBy).toEqual([])
  })
})

describe('the column of lanes', () => {
  it('is the first by which the view is grouped, if its values can be lanes', () => {
    const status = columns[3]
    expect(laneColumn(['Status', 'A'], columns)).toEqual({ column: status, isDescending: false })
    expect(laneColumn(['-Status'], columns)).toEqual({ column: status, isDescending: true })
    expect(laneColumn(['D'], columns)).toBeUndefined()
    expect(laneColumn(['Gone'], columns)).toBeUndefined()
    expect(laneColumn([], columns)).toBeUndefined()
  })

  it.each(['Choice', 'Ref:People', 'Bool', 'Text', 'Int', 'Numeric'])(
    'can be of type %s',
    (type) => {
      expect(makesLanes(columnOf('A', type))).toBe(true)
    },
  )

  it.each(['Date', 'DateTime:UTC', 'ChoiceList', 'RefList:People', 'Attachments', 'Any'])(
    'cannot be of type %s',
    (type) => {
      expect(makesLanes(columnOf('A', type))).toBe(false)
    },
  )
})
