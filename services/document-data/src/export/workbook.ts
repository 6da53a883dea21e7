import type { HeaderStyle } from './delimited'
import type { ExportedDocument, ExportedTable } from './display'
import { planSheet, xmlText, type SheetPlan } from './sheet'

/** Plan of an XLSX file: plain data that can be sent to a worker thread. */
export interface WorkbookPlan {
  readonly export: 'workbook'
  readonly sheets: readonly SheetPlan[]
}

/** A file in the ZIP archive of an XLSX file. */
export interface WorkbookFile {
  readonly path: string
  readonly xml: string
}

/** Maximum number of rows per sheet in the format, excluding the header. */
export const MAX_SHEET_ROWS = 1_048_575
/** Maximum number of characters in a sheet name in the format. */
const MAX_NAME = 31

/** Plans a workbook with one sheet per table. */
export function planWorkbook(
  document: ExportedDocument,
  tables: readonly ExportedTable[],
  header: HeaderStyle,
): WorkbookPlan {
  const names = sheetNames(tables.map(({ tableId }) => tableId))
  const sheets = tables.map((table, i) =>
    planSheet(document, table, { name: names[i] ?? table.tableId, header }),
  )
  return { export: 'workbook', sheets }
}

/**
 * Returns valid sheet names: without forbidden characters, at most 31 characters long, and unique without
 * regard to case.
 */
export function sheetNames(wishes: readonly string[]): string[] {
  // Excel reserves this name.
  const taken = new Set(['history'])
  return wishes.map((wish) => {
    const clean = wish
      .replace(/[*?:/\\[\]\p{Cc}]/gu, ' ')
      .replace(/\s+/g, ' ')
      .replace(/^['\s]+|['\s]+$/g, '')
    for (let n = 1; ; n++) {
      const suffix = n === 1 ? '' : ` ${n}`
      const name = `${cutName(clean || 'Sheet', MAX_NAME - suffix.length)}${suffix}`
      if (taken.has(name.toLowerCase())) continue
      taken.add(name.toLowerCase())
      return name
    }
  })
}

/** Truncates without splitting surrogate pairs; the length is in UTF-16 units, as in Excel. */
function cutName(name: string, length: number): string {
  const cut = name.slice(0, length)
  return (/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut).trimEnd()
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** XML before the rows of a sheet. */
export const SHEET_BEGIN = `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>`
/** XML after the rows of a sheet. */
export const SHEET_END = '</sheetData></worksheet>'

/** Path of a sheet in the archive. */
export const sheetPath = (index: number): string => `xl/worksheets/sheet${index + 1}.xml`

/** Returns the files of a workbook other than its sheets. */
export function workbookFiles({ sheets }: WorkbookPlan): WorkbookFile[] {
  const numbers = sheets.map((_, i) => i + 1)
  const overrides = numbers.map(
    (n) =>
      `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  )
  const relations = numbers.map(
    (n) =>
      `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  )
  const entries = sheets.map(
    ({ name }, i) => `<sheet name="${xmlText(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  )
  const styles = `<Relationship Id="rId${sheets.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/>`
  return [
    {
      path: '[Content_Types].xml',
      xml:
        `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
        `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>` +
        `${overrides.join('')}</Types>`,
    },
    {
      path: '_rels/.rels',
      xml:
        `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">` +
        `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      path: 'xl/workbook.xml',
      xml: `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${entries.join('')}</sheets></workbook>`,
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      xml:
        `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">` +
        `${relations.join('')}${styles}</Relationships>`,
    },
    { path: 'xl/styles.xml', xml: STYLES },
  ]
}

/** Styles of plain cells, dates, and dates with time. */
const STYLES =
  `${DECLARATION}<styleSheet xmlns="${MAIN}">` +
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ h:mm\\ am/pm"/></numFmts>' +
  '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
