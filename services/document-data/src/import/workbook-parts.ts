import { posix } from 'node:path'
import { badFile, requireCellSize, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import { isDateFormat, type DateParts } from './workbook-dates'
import { readXml, type XmlEvents } from './xml-events'
import type { ZipParts } from './zip-parts'

/** A worksheet. */
export interface Sheet {
  readonly name: string
  /** Part that holds its cells. */
  readonly part: string
}

/** Data of a workbook, besides the cells, that is needed to read them. */
export interface Workbook {
  readonly sheets: readonly Sheet[]
  /** True for the 1904 date system instead of the 1900 one. */
  readonly from1904: boolean
  /** How the numbers of a cell are read as dates, by style index; undefined for plain numbers. */
  readonly dateStyles: readonly (DateParts | undefined)[]
  /** Shared strings, by index. */
  readonly texts: readonly string[]
}

/** Reads everything in a workbook but its cells. Throws `invalid` when the file is not a workbook. */
export async function readWorkbook(zip: ZipParts): Promise<Workbook> {
  const roots = await readRelations(zip, '')
  const part = [...roots.values()].find(({ type }) => type === 'officeDocument')?.target
  if (part === undefined || !zip.has(part))
    throw badFile('the file is a ZIP archive but not an XLSX file')
  const relations = await readRelations(zip, part)
  const partOf = (type: string) =>
    [...relations.values()].find((relation) => relation.type === type)?.target ?? ''
  const { names, from1904 } = await readSheetNames(zip, part)
  const sheets = names.flatMap(({ name, id }) => {
    const relation = relations.get(id)
    return relation?.type === 'worksheet' ? [{ name, part: relation.target }] : []
  })
  if (sheets.length === 0) throw badFile('the workbook has no data')
  const dateStyles = await readDateStyles(zip, partOf('styles'))
  return { sheets, from1904, dateStyles, texts: await readTexts(zip, partOf('sharedStrings')) }
}

/** Reads an optional part of a workbook. */
async function readPart(zip: ZipParts, part: string, events: XmlEvents): Promise<void> {
  if (zip.has(part)) await readXml(part, zip.read(part), events)
}

interface Relation {
  /** Last segment of the URI that names the relationship type. */
  readonly type: string
  readonly target: string
}

async function readRelations(zip: ZipParts, of: string): Promise<Map<string, Relation>> {
  const folder = posix.dirname(of)
  const part = posix.join(folder, '_rels', `${posix.basename(of)}.rels`)
  const relations = new Map<string, Relation>()
  await readPart(zip, part, {
    open(name, { Id = '', Type = '', Target = '' }) {
      if (name !== 'Relationship') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target })
    },
  })
  return relations
}

async function readSheetNames(zip: ZipParts, part: string) {
  const names: { name: string; id: string }[] = []
  let from1904 = false
  await readPart(zip, part, {
    open(element, attributes) {
      if (element === 'workbookPr') from1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (element !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => /(^|:)id$/.test(key))?.[1] ?? ''
      names.push({ name: attributes.name ?? '', id })
      if (names.length > importLimits.tables)
        throw tooMuch(`the workbook must not have more than ${importLimits.tables} sheets`)
    },
  })
  return { names, from1904 }
}

/** Maximum number of styles; Excel allows 65,490. */
const MAX_STYLES = 100_000

async function readDateStyles(zip: ZipParts, part: string): Promise<(DateParts | undefined)[]> {
  const formats = new Map<number, string>()
  const styles: (DateParts | undefined)[] = []
  let isInCells = false
  await readPart(zip, part, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') formats.set(Number(numFmtId), formatCode)
      if (name === 'cellXfs') isInCells = true
      if (name !== 'xf' || !isInCells) return
      styles.push(isDateFormat(Number(numFmtId), formats.get(Number(numFmtId))))
      if (styles.length > MAX_STYLES || formats.size > MAX_STYLES)
        throw tooMuch('the workbook has too many styles')
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return styles
}

async function readTexts(zip: ZipParts, part: string): Promise<string[]> {
  const texts: string[] = []
  const reader = new RichText()
  let total = 0
  await readPart(zip, part, {
    open(name) {
      if (name === 'si') reader.begin()
      else reader.open(name)
    },
    text: (text) => reader.text(text, `text ${texts.length} of the workbook`),
    close(name) {
      reader.close(name)
      if (name !== 'si') return
      const text = reader.end()
      total += text.length + 1
      if (total > importLimits.sharedChars) throw tooMuch('the workbook has too many texts')
      texts.push(text)
    },
  })
  return texts
}

/** Concatenates the runs of a rich text; phonetic text is left out. */
export class RichText {
  private value = ''
  private isText = false
  private isSpoken = false

  begin(): void {
    this.value = ''
    this.isText = false
    this.isSpoken = false
  }

  open(element: string): void {
    if (element === 't') this.isText = true
    if (element === 'rPh') this.isSpoken = true
  }

  text(text: string, place: string): void {
    if (!this.isText || this.isSpoken) return
    this.value += text
    requireCellSize(this.value.length, place)
  }

  close(element: string): void {
    if (element === 't') this.isText = false
    if (element === 'rPh') this.isSpoken = false
  }

  /** The text, decoding characters that XML cannot contain, which are written as `_x000D_`. */
  end(): string {
    return this.value.replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
}
