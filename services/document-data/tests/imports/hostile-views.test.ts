import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AddViewsRequest } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { ImportInstance } from '../support/import-instance'
import { exportSample } from '../support/sample-document'
import { buildWorkers } from '../support/test-store'

describe('the views of an uploaded document', () => {
  let imports: ImportInstance
  let folder: TempDir
  let sound: Buffer
  beforeAll(async () => {
    buildWorkers()
    imports = await ImportInstance.start()
    folder = await tempDir()
    sound = await exportSample(imports.instance)
  })
  afterAll(async () => {
    await imports[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const TABLE = "(SELECT id FROM _grist_Tables WHERE tableId = 'All')"
  const COLUMN = `(SELECT 'c' || id FROM _grist_Tables_column WHERE parentId = ${TABLE} AND colId = 'T')`
  const row = (values: Record<string, string>) => {
    const all = {
      ...{ tableRef: TABLE, position: '1', name: "'v'", type: "'grid'", description: "''" },
      ...{ filter: "''", sort: "''", columns: "''", frozenColumns: '0', rowHeight: "'short'" },
      ...{ wrapText: '0', ...values },
    }
    return `INSERT INTO _sheaf_views (${Object.keys(all).join()}) VALUES (${Object.values(all).join()});`
  }

  /** Imports the sample with these statements applied, and lists the views of its table. */
  async function importWith(sql: string) {
    const path = join(folder.path, 'changed.sqlite')
    writeFileSync(path, sound)
    const db = new Database(path)
    db.exec(sql)
    const bytes = db.serialize()
    db.close()
    const { docId } = await imports.import('views.sqlite', bytes)
    const { clients } = imports.instance
    const call = await clients.as(docId, 'viewers')
    const { views } = await clients.tables.listViews({ docId, tableId: 'All' }, call)
    return { docId, views }
  }

  it('come along with their ids, and no id of a removed one is used again', async () => {
    const { docId, views } = await importWith(
      `${row({
        ...{ id: '7', name: "'Mine'", filter: `json_object(${COLUMN}, json('["x"]'))` },
        ...{ sort: `json_array('-' || ${COLUMN})`, wrapText: '1' },
      })}
       INSERT INTO _sheaf_refs VALUES ('view', 9);`,
    )
    expect(views).toMatchObject([
      { id: 7, fields: { name: 'Mine', sort: { keys: ['-T'] }, wrapText: true } },
    ])
    expect(String(views[0]?.fields?.filterJson)).toBe('{"T":["x"]}')
    const { clients } = imports.instance
    const call = await clients.as(docId, 'editors')
    const request = AddViewsRequest.fromPartial({ docId, tableId: 'All', views: [{ name: 'New' }] })
    expect((await clients.tables.addViews(request, call)).viewIds).toEqual([10])
  })

  it('have only what a view can have', async () => {
    const odd = {
      ...{
        name: "x'00ff'",
        type: "'sheet'",
        description: "x'00'",
        position: "'x'",
        sort: "'[[1]]'",
      },
      ...{ filter: `json_object(${COLUMN}, 5)`, frozenColumns: '-1', rowHeight: "'huge'" },
      ...{ columns: `json_array(json_object('column', ${COLUMN}, 'width', 1))`, wrapText: '2' },
    }
    const { views } = await importWith(
      [
        row({ id: '3', ...odd }),
        row({ id: '4', name: "'same'" }),
        row({ id: '5', name: "'SAME'", filter: "'{'", columns: "'{}'" }),
        row({ id: '6', tableRef: '9999' }),
      ].join(''),
    )
    expect(new Map(views.map(({ id, fields }) => [id, fields?.name]))).toEqual(
      new Map([
        [3, 'View 3'],
        [4, 'same'],
        [5, 'SAME 5'],
      ]),
    )
    expect(views.find(({ id }) => id === 3)?.fields).toMatchObject({
      type: 'grid',
      description: '',
      sort: { keys: [] },
      columns: { columns: [] },
      frozenColumns: 0,
      rowHeight: 'short',
      wrapText: false,
    })
  })

  it('are at most 100 of a table', async () => {
    const many = Array.from({ length: 120 }, (_, i) => row({ name: `'v${i}'` })).join('')
    expect((await importWith(many)).views).toHaveLength(100)
  })

  it('with an id that is none are refused', async () => {
    await expect(importWith(row({ id: '-1' }))).rejects.toMatchObject({ code: 'invalid' })
  })
})
