import { sampleColumn } from '../../api/sample-column'
import { plainArrangement, withSummary } from '../arrangement/arrangement'
import { formatSummary, shownSummaries, summariesOf, summaryLabel } from './summaries'

const price = sampleColumn('Price', {
  type: 'Numeric',
  widgetOptions: '{"numMode":"currency","currency":"EUR"}',
})
const count = sampleColumn('Count', { type: 'Int' })
const day = sampleColumn('Day', { type: 'Date' })
const done = sampleColumn('Done', { type: 'Bool' })
const name = sampleColumn('Name', { type: 'Text' })

describe('a summary', () => {
  it('is one that suits the type of the column', () => {
    expect(summariesOf(name)).toEqual(['filled', 'empty', 'unique'])
    expect(summariesOf(day)).toContain('max')
    expect(summariesOf(day)).not.toContain('sum')
    expect(summaryLabel('min', day)).toBe('Earliest')
    expect(summaryLabel('sum', done)).toBe('Checked')
  })

  it('is shown as the column shows its numbers', () => {
    expect(formatSummary('sum', 1234.5, price)).toBe('€1,234.50')
    expect(formatSummary('average', 10 / 3, count)).toBe('3.33')
    expect(formatSummary('average', 0.012345, count)).toBe('0.0123')
    expect(formatSummary('average', 0.25, done)).toBe('25%')
    expect(formatSummary('sum', 1234, done)).toBe('1,234')
    expect(formatSummary('unique', 1234, price)).toBe('1,234')
    expect(formatSummary('max', 0, day)).toContain('1970')
    expect(formatSummary('sum', null, price)).toBe('–')
  })

  it('is left out if its column is hidden, or has another type now', () => {
    const plain = plainArrangement(['Price', 'Name', 'Count'])
    const summed = ['Price', 'Name', 'Count'].reduce(
      (all, id) => withSummary(all, id, 'sum'),
      plain,
    )
    expect(shownSummaries(summed, [price, name])).toEqual([{ column: price, name: 'sum' }])
  })
})
