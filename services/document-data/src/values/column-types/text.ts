import type { ColumnType } from '../column-type'
import { plainFromStored } from '../column-type'
import { cellText } from '../python-text'

/** Text and null unchanged; other values as their text. */
export const textType: ColumnType = createTextType('Text')

/** A type that stores everything as text. Text and Choice differ only in how clients show them. */
export function createTextType(name: string): ColumnType {
  return {
    name,
    affinity: 'TEXT',
    storage: 'text',
    defaultValue: '',
    toStored: (cell) => (cell === null || typeof cell === 'string' ? cell : cellText(cell)),
    fromStored: plainFromStored,
    jsonSql: (column) => column,
  }
}
