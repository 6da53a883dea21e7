import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'

/*
 * Writes files as Grist writes them: the tables of schema version 44, cells that SQLite cannot hold marshalled by
 * Python, results of formulas in the tables.
 */

/** A column of a table, with metadata beside its id and type. */
export interface GristFileColumn {
  readonly id: string
  readonly type: string
  readonly formula?: string
  /** True for a formula column; one with a formula that is no formula column has a trigger formula. */
  readonly isFormula?: boolean
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A table; each row begins with its id, and cells have the form of the API. */
export interface GristFileTable {
  readonly id: string
  readonly columns: readonly GristFileColumn[]
  readonly rows: readonly (readonly [number, ...unknown[]])[]
  /** Set for a summary table. */
  readonly summarySourceTable?: number
}

/** An attachment; without bytes it is stored elsewhere. */
export interface GristFileAttachment {
  readonly name: string
  readonly bytes?: Buffer
}

/** What a file contains. */
export interface GristFile {
  readonly tables: readonly GristFileTable[]
  readonly attachments?: readonly GristFileAttachment[]
  readonly timezone?: string
  readonly locale?: string
  /** SQL that is run at the end. */
  readonly sql?: string
}

/** Columns of the metadata tables that tests fill, in the order of the program. */
const metadata: Readonly<Record<string, string>> = {
  _grist_DocInfo: `docId TEXT DEFAULT '', peers TEXT DEFAULT '', basketId TEXT DEFAULT '', schemaVersion INTEGER DEFAULT 0,
    timezone TEXT DEFAULT '', documentSettings TEXT DEFAULT ''`,
  _grist_Tables: `tableId TEXT DEFAULT '', primaryViewId INTEGER DEFAULT 0, summarySourceTable INTEGER DEFAULT 0,
    onDemand BOOLEAN DEFAULT 0, rawViewSectionRef INTEGER DEFAULT 0, recordCardViewSectionRef INTEGER DEFAULT 0`,
  _grist_Tables_column: `parentId INTEGER DEFAULT 0, parentPos NUMERIC DEFAULT 1e999, colId TEXT DEFAULT '', type TEXT DEFAULT '',
    widgetOptions TEXT DEFAULT '', isFormula BOOLEAN DEFAULT 0, formula TEXT DEFAULT '', label TEXT DEFAULT '',
    description TEXT DEFAULT '', untieColIdFromLabel BOOLEAN DEFAULT 0, summarySourceCol INTEGER DEFAULT 0,
    displayCol INTEGER DEFAULT 0, visibleCol INTEGER DEFAULT 0, rules TEXT DEFAULT NULL, reverseCol INTEGER DEFAULT 0,
    recalcWhen INTEGER DEFAULT 0, recalcDeps TEXT DEFAULT NULL`,
  _grist_Pages: `viewRef INTEGER DEFAULT 0, indentation INTEGER DEFAULT 0, pagePos NUMERIC DEFAULT 1e999`,
  _grist_Views: `name TEXT DEFAULT '', type TEXT DEFAULT '', layoutSpec TEXT DEFAULT ''`,
  _grist_Views_section: `tableRef INTEGER DEFAULT 0, parentId INTEGER DEFAULT 0, parentKey TEXT DEFAULT '', title TEXT DEFAULT ''`,
  _grist_Filters: `viewSectionRef INTEGER DEFAULT 0, colRef INTEGER DEFAULT 0, filter TEXT DEFAULT '', pinned BOOLEAN DEFAULT 0`,
  _grist_Attachments: `fileIdent TEXT DEFAULT '', fileName TEXT DEFAULT '', fileType TEXT DEFAULT '', fileSize INTEGER DEFAULT 0,
    fileExt TEXT DEFAULT '', imageHeight INTEGER DEFAULT 0, imageWidth INTEGER DEFAULT 0, timeDeleted DATETIME DEFAULT NULL,
    timeUploaded DATETIME DEFAULT NULL`,
  _grist_Triggers: `tableRef INTEGER DEFAULT 0, eventTypes TEXT DEFAULT NULL, isReadyColRef INTEGER DEFAULT 0, actions TEXT DEFAULT ''`,
  _grist_ACLRules: `resource INTEGER DEFAULT 0, permissions INTEGER DEFAULT 0, principals TEXT DEFAULT '', aclFormula TEXT DEFAULT '',
    aclColumn INTEGER DEFAULT 0, aclFormulaParsed TEXT DEFAULT '', permissionsText TEXT DEFAULT '',
    rulePos NUMERIC DEFAULT 1e999, userAttributes TEXT DEFAULT '', memo TEXT DEFAULT ''`,
  _grist_ACLResources: `tableId TEXT DEFAULT '', colIds TEXT DEFAULT ''`,
  _grist_Cells: `tableRef INTEGER DEFAULT 0, colRef INTEGER DEFAULT 0, rowId INTEGER DEFAULT 0, content TEXT DEFAULT ''`,
}

const system = `
  CREATE TABLE _gristsys_Files (id INTEGER PRIMARY KEY, ident TEXT UNIQUE, data BLOB, storageId TEXT);
  CREATE TABLE _gristsys_ActionHistory (id INTEGER PRIMARY KEY, actionHash TEXT UNIQUE, parentRef INTEGER, actionNum INTEGER, body BLOB);
  CREATE TABLE _gristsys_ActionHistoryBranch (id INTEGER PRIMARY KEY, name TEXT UNIQUE, actionRef INTEGER);
  CREATE TABLE _gristsys_FileInfo (id INTEGER PRIMARY KEY CHECK (id = 0), docId TEXT DEFAULT '', ownerInstanceId TEXT DEFAULT '');
  CREATE TABLE _gristsys_PluginData (id INTEGER PRIMARY KEY, pluginId TEXT NOT NULL, key TEXT NOT NULL, value BLOB DEFAULT '');
  INSERT INTO _gristsys_FileInfo (id) VALUES (0);
  INSERT INTO _grist_ACLRules (id, resource, permissions, principals) VALUES (1, 1, 63, '[1]');
  INSERT INTO _grist_ACLResources (id) VALUES (1);
  CREATE INDEX _grist_Attachments_fileIdent ON _grist_Attachments(fileIdent);
  PRAGMA user_version = 9;`

/** Declared types of columns; what is missing here is BLOB. */
const declared: Readonly<Record<string, string>> = {
  Bool: `BOOLEAN DEFAULT 0`,
  Choice: `TEXT DEFAULT ''`,
  Text: `TEXT DEFAULT ''`,
  ChoiceList: 'TEXT DEFAULT NULL',
  RefList: 'TEXT DEFAULT NULL',
  Attachments: 'TEXT DEFAULT NULL',
  Date: 'DATE DEFAULT NULL',
  DateTime: 'DATETIME DEFAULT NULL',
  Int: 'INTEGER DEFAULT 0',
  Ref: 'INTEGER DEFAULT 0',
  Numeric: 'NUMERIC DEFAULT 0',
  ManualSortPos: 'NUMERIC DEFAULT 1e999',
}

/** The bytes of a Grist document. Its columns have refs from 1, in their order; that of manualSort comes first in a table. */
export function gristFile({ tables, attachments = [], ...document }: GristFile): Buffer {
  const db = new Database(':memory:')
  try {
    for (const [name, columns] of Object.entries(metadata))
      db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${columns})`)
    db.exec(system)
    const { timezone = 'Europe/Berlin', locale = 'de-DE' } = document
    const settings = JSON.stringify({ locale, currency: 'EUR', engine: 'python3' })
    insert(db, '_grist_DocInfo', { id: 1, schemaVersion: 44, timezone, documentSettings: settings })
    const cells = new MarshalledCells()
    const fill: (() => void)[] = []
    tables.forEach((table, index) => fill.push(...addTable(db, table, { ref: index + 1, cells })))
    attachments.forEach((attachment, index) => addAttachment(db, attachment, index + 1))
    cells.marshal()
    for (const each of fill) each()
    db.exec(document.sql ?? '')
    return db.serialize()
  } finally {
    db.close()
  }
}

function addTable(
  db: Database.Database,
  table: GristFileTable,
  { ref, cells }: { readonly ref: number; readonly cells: MarshalledCells },
): (() => void)[] {
  const { id: tableId, rows, summarySourceTable = 0 } = table
  insert(db, '_grist_Tables', { id: ref, tableId, summarySourceTable })
  const columns: readonly GristFileColumn[] = summarySourceTable
    ? table.columns
    : [{ id: 'manualSort', type: 'ManualSortPos' }, ...table.columns]
  for (const { id: colId, type, formula = '', isFormula = false, meta } of columns) {
    const next = db
      .prepare('SELECT coalesce(max(id), 0) + 1 FROM _grist_Tables_column')
      .pluck()
      .get()
    const own = { id: next, parentId: ref, parentPos: next, colId, label: colId }
    insert(db, '_grist_Tables_column', {
      ...own,
      type,
      formula,
      isFormula: Number(isFormula),
      ...meta,
    })
  }
  const definitions = columns.map(({ id, type }) => `"${id}" ${definition(type)}`)
  db.exec(`CREATE TABLE "${tableId}" (${['id INTEGER PRIMARY KEY', ...definitions].join(', ')})`)
  return rows.map(([id, ...given]) => {
    const values = summarySourceTable ? given : [id, ...given]
    const stored = columns.map(({ type }, i) => cells.encode(type, values[i] ?? null))
    const marks = [id, ...stored].map(() => '?').join(', ')
    return () => {
      db.prepare(`INSERT INTO "${tableId}" VALUES (${marks})`).run(
        id,
        ...stored.map((get) => get()),
      )
    }
  })
}

function definition(type: string): string {
  return declared[type.split(':')[0] ?? ''] ?? 'BLOB DEFAULT NULL'
}

function addAttachment(
  db: Database.Database,
  { name, bytes }: GristFileAttachment,
  id: number,
): void {
  const fileExt = name.slice(name.lastIndexOf('.'))
  const sha1 = createHash('sha1')
    .update(bytes ?? name)
    .digest('hex')
  const fileIdent = sha1 + fileExt
  const file = { fileIdent, fileName: name, fileType: 'text/plain', fileExt }
  const fileSize = bytes?.length ?? 7
  insert(db, '_grist_Attachments', { id, ...file, fileSize, timeUploaded: 1_700_000_000_000 + id })
  const known = db.prepare('SELECT 1 FROM _gristsys_Files WHERE ident = ?').get(fileIdent)
  if (!known) insert(db, '_gristsys_Files', { ident: fileIdent, data: bytes ?? null })
}

function insert(db: Database.Database, table: string, fields: Record<string, unknown>): void {
  const names = Object.keys(fields)
  db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  ).run(Object.values(fields))
}

/** What the items of a list have to be, by the type of the column, to be stored as JSON. */
const itemTypes: Readonly<Record<string, string>> = {
  ChoiceList: 'string',
  RefList: 'number',
  Attachments: 'number',
}

/** Encodes cells as Grist stores them, all that need it marshalled by one run of Python. */
class MarshalledCells {
  private readonly values: unknown[] = []
  private bytes: Buffer[] = []

  /** A function that returns the stored value, once `marshal` was called. */
  encode(type: string, cell: unknown): () => unknown {
    const wanted = itemTypes[type.split(':')[0] ?? '']
    const items = Array.isArray(cell) && cell[0] === 'L' ? cell.slice(1) : undefined
    if (wanted && items?.every((item) => typeof item === wanted)) return () => JSON.stringify(items)
    if (!this.mustMarshal(definition(type).split(' ')[0] ?? '', cell))
      return () => (typeof cell === 'boolean' ? Number(cell) : cell)
    const index = this.values.push(cell) - 1
    return () => this.bytes[index]
  }

  marshal(): void {
    const program = `
import json, marshal, sys
for value in json.load(sys.stdin):
    print(marshal.dumps(value, 2).hex())`
    const output = execFileSync('python3', ['-c', program], { input: JSON.stringify(this.values) })
    this.bytes = output
      .toString()
      .split('\n')
      .map((line) => Buffer.from(line, 'hex'))
  }

  private mustMarshal(sqlType: string, cell: unknown): boolean {
    const isNumeric = !['TEXT', 'BLOB'].includes(sqlType)
    switch (typeof cell) {
      case 'string':
        return isNumeric && /^[-+ \t\n\r\v0-9.]/.test(cell)
      case 'number':
        return sqlType === 'TEXT' || (sqlType === 'BOOLEAN' && (cell === 0 || cell === 1))
      case 'boolean':
        return sqlType !== 'BOOLEAN'
      default:
        return cell !== null
    }
  }
}
