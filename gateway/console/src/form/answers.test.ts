import { readAnswers, type Entries, type Entry, type Question } from './answers'

const question = (type: string, more: Partial<Question> = {}): Question => ({
  ...{ id: 'Q', label: 'Question', help: '', required: false, multiline: false },
  type,
  ...more,
})
const read = (type: string, entry?: Entry, more: Partial<Question> = {}) => {
  const entries: Entries = entry === undefined ? {} : { Q: entry }
  const { values, faults } = readAnswers([question(type, more)], entries)
  return faults.Q ?? values.Q
}

describe('answers of a form', () => {
  it('are values of their types', () => {
    expect(read('Text', ' Ada ')).toBe('Ada')
    expect(read('Bool', true)).toBe(true)
    expect(read('Bool')).toBe(false)
    expect(read('Date', '2026-03-01')).toBe('2026-03-01')
    expect(read('DateTime', '2026-03-01T09:30')).toBe('2026-03-01T09:30')
    expect(read('Choice', 'tea')).toBe('tea')
    expect(read('ChoiceList', ['tea'])).toEqual(['tea'])
  })

  it.each<[string, number]>([
    ['5', 5],
    ['-1.5', -1.5],
    ['1,5', 1.5],
    ['-0,25', -0.25],
    ['.5', 0.5],
    ['\u22123', -3],
    ['1500', 1500],
  ])('read %s as a number', (text, number) => expect(read('Numeric', text)).toBe(number))

  it.each(['1,500', '1.500,5', 'five', '5 €', '1e5', '--5', '.', '9'.repeat(400)])(
    'do not guess a number from %s',
    (text) => expect(read('Numeric', text)).toContain('Enter a number'),
  )

  it.each<[string, string, unknown]>([
    ['Numeric', '50', 0.5],
    ['Numeric', '7 %', 0.07],
    ['Numeric', '12,5%', 0.125],
    ['Numeric', '-0.5', -0.005],
    ['Int', '200', 2],
  ])('of a %s in percent read %s as a percentage', (type, text, number) =>
    expect(read(type, text, { percent: true })).toBe(number),
  )

  it('in percent are not guessed', () => {
    expect(read('Numeric', '50 €', { percent: true })).toContain('Enter a percentage')
    expect(read('Numeric', '%', { percent: true })).toContain('Enter a percentage')
    expect(read('Int', '50', { percent: true })).toContain('multiple of 100')
    expect(read('Numeric', '50 %')).toContain('Enter a number')
  })

  it('are whole numbers within bounds', () => {
    expect(read('Int', '2')).toBe(2)
    expect(read('Int', '2.5')).toContain('whole number')
    expect(read('Int', '3000000000')).toContain('too large')
  })

  it('are left out where nothing was entered, and asked for where they are required', () => {
    for (const type of ['Text', 'Numeric', 'Int', 'Date', 'DateTime', 'Choice'])
      for (const entry of [undefined, '', '  '])
        expect([read(type, entry), typeof read(type, entry, { required: true })]).toEqual([
          undefined,
          'string',
        ])
    expect(read('ChoiceList', [])).toBeUndefined()
    expect(read('ChoiceList', [], { required: true })).toBe('Choose at least one answer.')
    expect(read('Bool', false, { required: true })).toBe('Tick this box to continue.')
    expect(read('Bool', true, { required: true })).toBe(true)
  })

  it('have years of four digits, and texts of a length that can be sent', () => {
    expect(read('Date', '12026-03-01')).toContain('four digits')
    expect(read('DateTime', '12026-03-01T09:30')).toContain('four digits')
    expect(read('Text', 'x'.repeat(20_001))).toContain('at most')
  })
})
