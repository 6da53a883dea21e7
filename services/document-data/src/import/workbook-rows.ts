import { isInRange } from '@sheaf/tabular/exact-number'
import { requireCellSize, shown, tooManyColumns, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import type { ImportedCell, RowSink, RowSource } from './row-sink'
import { dateCell } from './workbook-dates'
import { readWorkbook, RichText, type Sheet, type Workbook } from './workbook-parts'
import { readXml, type XmlEvents } from './xml-events'
import { ZipParts } from './zip-parts'

/**
 * The rows of an XLSX file: each sheet with cells is a table.
 * @param hasHeader whether the first row of a sheet that is not blank names the columns
 */
export function workbookRows(path: string, hasHeader: boolean): RowSource {
  return async (sink) => {
    await using zip = await ZipParts.open(path)
    const workbook = await readWorkbook(zip)
    for (const sheet of workbook.sheets) {
      const reader = new SheetReader({ sheet, hasHeader }, workbook, sink)
      await readXml(sheet.part, zip.read(sheet.part), reader)
    }
  }
}

/** Converts the cells of one sheet into rows. */
class SheetReader implements XmlEvents {
  private row: ImportedCell[] = []
  private rowChars = 0
  private rowNumber = 0
  private column = 0
  private attributes: Readonly<Record<string, string>> = {}
  private isValue = false
  private value = ''
  private isInline = false
  private readonly inline = new RichText()
  private hasBegun = false

  constructor(
    private readonly source: { readonly sheet: Sheet; readonly hasHeader: boolean },
    private readonly workbook: Workbook,
    private readonly sink: RowSink,
  ) {}

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    switch (name) {
      case 'row':
        this.beginRow(attributes)
        break
      case 'c':
        this.beginCell(attributes)
        break
      case 'v':
        this.isValue = true
        break
      case 'is':
        this.isInline = true
        break
      default:
        if (this.isInline) this.inline.open(name)
    }
  }

  text(text: string): void {
    if (this.isInline) return this.inline.text(text, this.place())
    if (!this.isValue) return
    this.value += text
    requireCellSize(this.value.length, this.place())
  }

  close(name: string): void {
    switch (name) {
      case 'row':
        this.endRow()
        break
      case 'c':
        this.endCell()
        break
      case 'v':
        this.isValue = false
        break
      case 'is':
        this.isInline = false
        break
      default:
        if (this.isInline) this.inline.close(name)
    }
  }

  private beginRow({ r }: Readonly<Record<string, string>>): void {
    this.row = []
    this.rowChars = 0
    this.rowNumber = r === undefined ? this.rowNumber + 1 : Number(r)
    this.column = -1
  }

  private beginCell(attributes: Readonly<Record<string, string>>): void {
    this.attributes = attributes
    this.column = attributes.r === undefined ? this.column + 1 : columnOf(attributes.r)
    this.value = ''
    this.isValue = false
    this.isInline = false
    this.inline.begin()
  }

  private endCell(): void {
    const cell = this.readCell()
    if (cell === null || cell === '') return
    const { column, row } = this
    if (!(column >= 0 && column < importLimits.columns)) throw tooManyColumns(this.place())
    if (typeof cell === 'string') this.rowChars += cell.length
    if (this.rowChars > importLimits.rowChars) throw tooMuch('the row is too long', this.place())
    while (row.length < column) row.push(null)
    row[column] = cell
  }

  private endRow(): void {
    const { row, rowNumber, hasBegun } = this
    const { sheet, hasHeader } = this.source
    if (row.length === 0) return
    this.hasBegun = true
    if (!hasBegun) this.sink.beginTable(sheet.name)
    if (!hasBegun && hasHeader) this.sink.nameColumns(row.map(labelOf))
    else this.sink.addRow(row, () => placeOf(sheet, rowNumber))
  }

  private readCell(): ImportedCell {
    const { value, workbook } = this
    switch (this.attributes.t) {
      case 's':
        return workbook.texts[Number(value)] ?? null
      case 'inlineStr':
        return this.inline.end()
      case 'b':
        return value === '1' || value === 'true'
      case 'str':
      case 'e':
      case 'd':
        return value
      default:
        return this.readNumber(value)
    }
  }

  private readNumber(text: string): ImportedCell {
    if (text === '') return null
    const number = Number(text)
    if (!isInRange(text, number) || isLongWhole(text, number)) return text
    const parts = this.workbook.dateStyles[Number(this.attributes.s ?? 0)]
    return parts ? dateCell(number, parts, this.workbook.from1904) : number
  }

  private place(): string {
    return placeOf(this.source.sheet, this.rowNumber)
  }
}

function placeOf({ name }: Sheet, row: number): string {
  return `sheet ${shown(name)}, row ${row}`
}

/**
 * Matches a long integer, such as an account number; a fraction with that many digits is merely how programs
 * write a shorter one.
 */
function isLongWhole(text: string, number: number): boolean {
  return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(number)
}

/** Index of the column in a reference such as `AB12`; -1 when it is invalid. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? ''
  let index = 0
  for (const letter of letters) index = index * 26 + letter.charCodeAt(0) - 64
  return index - 1
}

function labelOf(cell: ImportedCell): string {
  if (Array.isArray(cell)) {
    const text = new Date(cell[1] * 1000).toISOString()
    return cell[0] === 'd' ? text.slice(0, 10) : text
  }
  return cell === null ? '' : String(cell)
}
