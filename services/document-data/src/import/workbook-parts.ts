import { posix } from 'node:path'
import { badFile, requireCellSize, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import { isDateFormat, type DateParts } from './workbook-dates'
import { readXml, type XmlEvents } from './xml-events'
import type { ZipParts } from './zip-parts'

/** A sheet of cells. */
export interface Sheet {
  readonly name: string
  /** Part that holds its cells. */
  readonly part: string
}

/** What stands beside the cells of a workbook, and is needed to read them. */
export interface Workbook {
  readonly sheets: readonly Sheet[]
  /** True when days are counted from 1904 on instead of 1900. */
  readonly from1904: boolean
  /** What the numbers of a cell mean as a date, by the index of its style; undefined for mere numbers. */
  readonly dateStyles: readonly (DateParts | undefined)[]
  /** Texts that cells refer to by index. */
  readonly texts: readonly string[]
}

/** Reads all of a workbook but its cells. Throws `invalid` when it is none. */
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

/** Reads a part that a workbook may also go without. */
async function readPart(zip: ZipParts, part: string, events: XmlEvents): Promise<void> {
  if (zip.has(part)) await readXml(part, zip.read(part), events)
}

interface Relation {
  /** Last part of the address that names the type. */
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

/** Styles at most; Excel allows 65,490. */
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

/** Puts together a text whose parts may be formatted each in its own way; how it is spoken is left out. */
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

  /** The text, with the characters that XML cannot hold, which are written as `_x000D_`. */
  end(): string {
    return this.value.replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
}
