import { dateCell, isDateFormat } from './workbook-dates'

describe('a number format of a workbook', () => {
  it.each<[number, string | undefined, { day: boolean; time: boolean } | undefined]>([
    [0, undefined, undefined],
    [14, undefined, { day: true, time: false }],
    [22, undefined, { day: true, time: true }],
    [46, undefined, undefined],
    [164, 'General', undefined],
    [164, '#,##0.00', undefined],
    [164, '0.00E+00', undefined],
    [164, '"day" 0', undefined],
    [164, '[Red]0;[Blue]0', undefined],
    [164, '[$-409]d\\-mmm\\-yy', { day: true, time: false }],
    [164, 'yyyy\\-mm\\-dd\\ hh:mm:ss', { day: true, time: true }],
    [164, 'mmmm', { day: true, time: false }],
    [164, 'mm:ss', { day: false, time: true }],
    [164, '[h]:mm:ss', undefined],
  ])('%i %s', (id, code, expected) => {
    expect(isDateFormat(id, code)).toEqual(expected)
  })

  const day = { day: true, time: false }
  it.each([
    ['1 January 1970', dateCell(25_569, day, false), ['d', 0]],
    ['1 January 1900', dateCell(1, day, false), ['d', Date.UTC(1900, 0, 1) / 1000]],
    ['1 March 1900', dateCell(61, day, false), ['d', Date.UTC(1900, 2, 1) / 1000]],
    ['the other calendar', dateCell(25_569 - 1_462, day, true), ['d', 0]],
    ['noon', dateCell(25_569.5, day, false), ['D', 43_200, 'UTC']],
    ['a time without a day', dateCell(0.75, { day: false, time: true }, false), '18:00:00'],
    ['a time in the other calendar', dateCell(0.75, { day: false, time: true }, true), '18:00:00'],
    [
      'before all times',
      dateCell(-0.5, { day: false, time: true }, true),
      ['D', -2_082_888_000, 'UTC'],
    ],
    ['the end of a day', dateCell(0.999999, { day: false, time: true }, false), '23:59:59'],
    ['before all days', dateCell(-1, day, false), -1],
    ['after the year 9999', dateCell(3e6, day, false), 3e6],
  ])('means %s', (_, cell, expected) => {
    expect(cell).toEqual(expected)
  })
})
