import type { ColumnType, StoredValue } from '../column-type'
import {
  listFromStored,
  listJsonSql,
  readJsonList,
  splitItems,
  storedList,
  storedListText,
  typedListJsonSql,
} from '../list-storage'
import { cellText } from '../python-text'

/** Lists of text, stored as JSON text. */
export const choiceListType: ColumnType = {
  name: 'ChoiceList',
  affinity: '',
  storage: 'list',
  defaultValue: null,
  toStored: (cell, _context, { noParse }) => {
    if (typeof cell === 'string') return textToStored(cell, noParse)
    if (Array.isArray(cell) && cell[0] === 'L') return storedList(cell.slice(1).map(cellText))
    return cell === null ? null : storedListText(cellText(cell))
  },
  fromStored: listFromStored,
  jsonSql: listJsonSql,
  typedJsonSql: typedListJsonSql,
}

function textToStored(text: string, noParse: boolean): StoredValue {
  if (text === '') return null
  const list = readJsonList(text)
  if (list) return storedList(list.map(cellText))
  return noParse ? storedListText(text) : storedList(splitItems(text))
}
