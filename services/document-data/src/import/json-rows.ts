import {
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
  TokenType,
} from '@streamparser/json'
import { isHeldExactly } from '@sheaf/tabular/exact-number'
import type { TextFile } from '@sheaf/tabular/text-file'
import { badFile, requireCellSize, shown, tooManyColumns, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import { readImportText } from './import-text'
import type { ImportedCell, RowSink, RowSource } from './row-sink'

/**
 * The rows of JSON: a list of objects, or an object of such lists by table name. Objects of the form
 * `{"fields": {…}}` in a list `records` are records in the API's format. Values that are lists or objects are
 * stored as their JSON text.
 */
export function jsonRows(file: TextFile, name: string): RowSource {
  return async (sink) => {
    const isList = /^\s*\[/.test(file.start)
    if (!isList && !/^\s*\{/.test(file.start))
      throw badFile('JSON must be an array of objects, or an object with arrays of objects')
    const reader = new TableReader(sink, name)
    const parser = createParser(isList ? ['$.*'] : ['$.*', '$.*.*'], (value, path, isInList) => {
      const place = () => `JSON, table ${shown(path[0] ?? '')}`
      if (isList) reader.add(name, value, path[0] ?? '')
      else if (path.length === 2 && isInList) reader.add(path[0] ?? '', value, path[1] ?? '')
      // A list is emitted once more, empty, after all its items.
      else if (Array.isArray(value)) reader.begin(path[0] ?? '')
      else throw badFile('must be an array of objects', place())
    })
    for await (const text of readImportText(file)) parser.write(text)
    parser.end()
    if (isList) reader.begin(name)
  }
}

type Found = (value: unknown, path: string[], isInList: boolean) => void

/** Emits a number that a double cannot represent as its text, so that no value changes. */
class ExactTokenizer extends Tokenizer {
  // The consumer of the tokens accepts text in place of a number.
  protected override parseNumber(text: string): number {
    return (isHeldExactly(text) ? Number(text) : text) as number
  }
}

/** Emits the values at these paths as soon as they are read, and releases them. */
function createParser(paths: string[], found: Found) {
  const tokenizer = new ExactTokenizer()
  const parser = new TokenParser({ paths, keepStack: false })
  let depth = 0
  let reached = 0
  let failure: Error | undefined
  const fail = (error: Error) => {
    // Messages of the parser contain fragments of values, so they are not passed on.
    const isSyntax = error instanceof TokenizerError || error instanceof TokenParserError
    failure ??= isSyntax ? badFile('invalid JSON', `after byte ${reached}`) : error
  }
  parser.onValue = ({ value, key, parent, stack }) => {
    const keys = [...stack.slice(1).map((level) => String(level.key)), String(key)]
    found(value, keys, Array.isArray(parent))
  }
  parser.onError = fail
  tokenizer.onError = fail
  tokenizer.onToken = ({ token, value, offset }) => {
    if (failure) return
    reached = offset
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--
    const place = () => `JSON, byte ${offset}`
    if (depth > importLimits.depth) fail(tooMuch('values are nested too deeply', place()))
    else {
      if (typeof value === 'string') requireCellSize(value.length, place())
      parser.write({ token, value })
    }
  }
  const check = () => {
    if (failure) throw failure
  }
  return {
    write(text: string) {
      tokenizer.write(text)
      check()
    },
    end() {
      check()
      if (!parser.isEnded) throw badFile('unexpected end of JSON')
    },
  }
}

/** Converts objects into rows of the columns that their keys name. */
class TableReader {
  private table: string | undefined
  private readonly done = new Set<string>()
  private columns = new Map<string, number>()

  constructor(
    private readonly sink: RowSink,
    private readonly fileName: string,
  ) {}

  /** Starts this table. */
  begin(key: string): void {
    if (this.table === key) return
    if (this.done.has(key)) throw badFile('duplicate table', `JSON, table ${shown(key)}`)
    this.done.add(key)
    this.table = key
    this.columns = new Map()
    // Records in the API's format do not contain the name of their table.
    this.sink.beginTable(key === 'records' ? this.fileName : key)
  }

  add(key: string, value: unknown, index: string): void {
    this.begin(key)
    const place = () => `JSON, table ${shown(key)}, item ${Number(index) + 1}`
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw badFile('must be an object', place())
    const { fields } = value as { fields?: unknown }
    const isRecord = key === 'records' && typeof fields === 'object' && fields !== null
    this.addObject(isRecord ? fields : value, place)
  }

  private addObject(object: object, place: () => string): void {
    const cells: ImportedCell[] = new Array<ImportedCell>(this.columns.size).fill(null)
    const known = this.columns.size
    for (const [key, value] of Object.entries(object)) {
      let column = this.columns.get(key)
      if (column === undefined) {
        column = this.columns.size
        if (column >= importLimits.columns) throw tooManyColumns(place())
        this.columns.set(key, column)
      }
      cells[column] = toCell(value, place)
    }
    if (this.columns.size > known) this.sink.nameColumns([...this.columns.keys()])
    this.sink.addRow(cells, place)
  }
}

function toCell(value: unknown, place: () => string): ImportedCell {
  if (typeof value !== 'object' || value === null) return value as ImportedCell
  const text = JSON.stringify(value)
  requireCellSize(text.length, place())
  return text
}
