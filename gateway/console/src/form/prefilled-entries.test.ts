import type { Question } from './answers'
import { prefilledEntries } from './prefilled-entries'

const question = (id: string, type: string, more: Partial<Question> = {}): Question => ({
  ...{ id, label: id, help: '', required: false, multiline: false, type },
  ...more,
})
const questions = [
  question('Name', 'Text', { label: 'Your name', required: true }),
  question('Notes', 'Text', { multiline: true }),
  question('Age', 'Int'),
  question('Share', 'Numeric'),
  question('Terms', 'Bool', { required: true }),
  question('Day', 'Date'),
  question('At', 'DateTime'),
  question('Drink', 'Choice', { choices: ['tea', 'coffee, black'] }),
  question('Food', 'ChoiceList', { choices: ['soup', 'bread', 'salt, pepper'] }),
]
const read = (query: string) => prefilledEntries(questions, new URLSearchParams(query))

describe('answers in the address of a form', () => {
  it('are entries of the questions that they name by column id or by label, ignoring case', () => {
    expect(read('prefill_Name=Ada')).toEqual({ Name: 'Ada' })
    expect(read('prefill_your+NAME=Ada+L.')).toEqual({ Name: 'Ada L.' })
    expect(read('Name=Ada&prefill_=x&prefill_Other=y&prefill___proto__=z')).toEqual({})
  })

  it.each<[string, string, unknown]>([
    ['Notes', 'a%0D%0Ab', 'a\nb'],
    ['Age', '42', '42'],
    ['Share', '1,5', '1,5'],
    ['Terms', 'true', true],
    ['Terms', '1', true],
    ['Terms', 'FALSE', false],
    ['Day', '2026-03-01', '2026-03-01'],
    ['At', '2026-03-01T09:30', '2026-03-01T09:30'],
    ['Drink', 'coffee,+black', 'coffee, black'],
    ['Food', 'bread,+soup', ['soup', 'bread']],
    ['Food', 'salt,+pepper', ['salt, pepper']],
    ['Food', 'soup&prefill_Food=salt,+pepper', ['soup', 'salt, pepper']],
  ])('are those of the type of %s: %s', (id, value, entry) =>
    expect(read(`prefill_${id}=${value}`)).toEqual({ [id]: entry }),
  )

  it.each([
    ['Name', 'a%0Ab'],
    ['Name', 'a%00b'],
    ['Name', `${'x'.repeat(20_001)}`],
    ['Name', 'a&prefill_Name=b'],
    ['Age', '4.5'],
    ['Age', 'many'],
    ['Share', '1,500'],
    ['Terms', 'yes'],
    ['Day', '2026-02-30'],
    ['Day', '1.3.2026'],
    ['At', '2026-03-01'],
    ['At', '2026-03-01T09:30Z'],
    ['Drink', 'wine'],
    ['Food', 'soup,wine'],
  ])('are left out where they could not be entered: %s=%s', (id, value) =>
    expect(read(`prefill_${id}=${value}`)).toEqual({}),
  )
})
