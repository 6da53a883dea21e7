import type { ColumnType } from '../column-type'
import { plainFromStored } from '../column-type'
import { cellText } from '../python-text'

/** Text as it is, null, and the text of anything else. */
export const textType: ColumnType = createTextType('Text')

/** A type that keeps everything as text; Text and Choice differ only in how clients show them. */
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
