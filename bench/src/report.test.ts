import { formatNumber, renderMarkdown, renderReport, renderText } from './report'
import { isReached, ratioOf, replaceSection, tabulate, type Figure } from './report'

const fetchAll: Figure = {
  name: 'fetch all',
  unit: 'ms',
  sheaf: 100,
  plain: 400,
  goal: { side: 'at most', value: 0.4, ratio: true },
}
const create: Figure = {
  name: 'create',
  unit: 'req/s',
  sheaf: 156.4,
  goal: { side: 'at least', value: 300, ratio: false },
}
const sort: Figure = { name: 'sort', unit: 'ms', sheaf: 9.123, plain: 4 }

test('a figure says its ratio to the plain server, and whether it reaches its goal', () => {
  expect([ratioOf(fetchAll), isReached(fetchAll)]).toEqual([0.25, true])
  expect([ratioOf(create), isReached(create)]).toEqual([undefined, false])
  expect([ratioOf(sort), isReached(sort)]).toEqual([2.28075, undefined])
})

test('the table leaves empty what a figure does not have', () => {
  expect(tabulate([fetchAll, create, sort])).toEqual([
    ['work', 'Sheaf', 'plain server', 'ratio', 'wanted', 'reached'],
    ['fetch all', '100 ms', '400 ms', '0.25', '≤ 0.4 ×', 'yes'],
    ['create', '156 req/s', '', '', '≥ 300 req/s', 'not yet'],
    ['sort', '9.12 ms', '4.00 ms', '2.28', '', ''],
  ])
})

test('without a plain server the table has no columns for it', () => {
  expect(tabulate([create])[0]).toEqual(['work', 'Sheaf', 'wanted', 'reached'])
})

test('numbers keep about three digits, and what was not measured is a dash', () => {
  expect([0.1234, 12.34, 1234.5, NaN].map(formatNumber)).toEqual(['0.12', '12.3', '1235', '–'])
})

test('tables line up, in text and in Markdown', () => {
  const rows = [
    ['a', 'figure'],
    ['longer', '≤ 1'],
  ]
  expect(renderText(rows)).toBe('a       figure\nlonger  ≤ 1')
  expect(renderMarkdown(rows)).toBe('| a      | figure |\n| ------ | ------ |\n| longer | ≤ 1    |')
})

test('a report has its sentence, its figures and its further tables', () => {
  const report = {
    mode: 'compare',
    about: 'Of today.',
    figures: [sort],
    tables: [{ title: 'More', rows: [['x'], ['1']] }],
  }
  expect(renderReport(report, 'text')).toMatch(/^Of today\.\n\nwork .*\nsort .*\n\nMore:\n\nx\n1$/)
})

test('a section of a file is replaced, and a file without it is refused', () => {
  const file = 'a\n\n<!-- rows: begin -->\n\nold\n\n<!-- rows: end -->\n\nb\n'
  const replaced = file.replace('old', 'new')
  expect(replaceSection(file, 'rows', 'new')).toBe(replaced)
  expect(() => replaceSection(file, 'other', 'new')).toThrow('there is no section other')
})
