import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import type { GristFile } from '@sheaf/testkit/grist-file'
import { listAttachments } from '../../src/store/attachments/attachments'
import { GristImports } from '../support/grist-imports'

let imports: GristImports
beforeAll(async () => {
  imports = await GristImports.open()
})
afterAll(() => imports[Symbol.asyncDispose]())
const DAY = 1_704_153_600

/** A cell of each type in each form, as the API has it. */
const values: GristFile = {
  tables: [
    {
      id: 'People',
      columns: [{ id: 'Name', type: 'Text' }],
      rows: [
        [1, 'Ann'],
        [3, 'Bob'],
      ],
    },
    {
      id: 'All',
      columns: [
        ['T', 'Text'],
        ['N', 'Numeric'],
        ['I', 'Int'],
        ['B', 'Bool'],
        ['D', 'Date'],
        ['DT', 'DateTime:America/New_York'],
        ['C', 'Choice'],
        ['CL', 'ChoiceList'],
        ['R', 'Ref:People'],
        ['RL', 'RefList:People'],
        ['A', 'Attachments'],
        ['Any', 'Any'],
      ].map(([id = '', type = '']) => ({ id, type })),
      rows: [
        [1, 'x', 1.5, 7, true, DAY, DAY + 0.5, 'a', ['L', 'a', 'b'], 3, ['L', 1, 3], ['L', 1], 'y'],
        [2, '', 0, 0, false, null, null, '', null, 0, null, null, null],
        [3, null, null, null, false, null, null, null, null, 0, null, null, true],
        [
          5,
          '5',
          'odd',
          'ten',
          'maybe',
          'some day',
          '2 pm',
          '7',
          '[x',
          'who',
          '["L"',
          'x',
          ['d', DAY],
        ],
        [6, '\u0001x', '12 apples', '-5', '+1', '2024', '1.', '', 'text', '3.5', 'Ann', 'x', 1e300],
        [
          7,
          'é',
          -0.25,
          -3,
          true,
          -DAY,
          1e10,
          'b',
          ['L'],
          99,
          ['L', 99],
          ['L', 2, 2],
          ['L', 1, 'two', null],
        ],
        [
          8,
          '[1]',
          1e20,
          5,
          false,
          0,
          0,
          '[',
          ['L', 'x,y'],
          1,
          ['L', 3],
          null,
          ['O', { 'a b': [1] }],
        ],
      ],
    },
  ],
}

const long = Buffer.alloc(600_000, 'attached ')

/** References with a display column, a trigger formula, attachments, a summary table, and faults. */
const orders: GristFile = {
  tables: [
    { id: 'People', columns: [{ id: 'Name', type: 'Text' }], rows: [[1, 'Ann']] },
    {
      id: 'Orders',
      columns: [
        {
          id: 'Who',
          type: 'Ref:People',
          meta: { visibleCol: 2, displayCol: 5, reverseCol: 2, rules: '[6]' },
        },
        { id: 'gristHelper_Display', type: 'Any', isFormula: true, formula: '$Who.Name' },
        {
          id: 'gristHelper_ConditionalRule',
          type: 'Any',
          isFormula: true,
          formula: '$Qty > 1',
        },
        { id: 'Qty', type: 'Int' },
        {
          id: 'Stamp',
          type: 'DateTime:America/New_York',
          formula: 'NOW()',
          meta: {
            recalcDeps: '[7,99]',
            untieColIdFromLabel: 1,
            label: 'Changed at',
            description: 'when',
            widgetOptions: '{"alignment":"left"}',
          },
        },
        { id: 'Files', type: 'Attachments' },
        { id: 'Odd', type: 'Blob' },
        { id: 'Lost', type: 'Ref:Gone' },
        { id: 'At', type: 'DateTime:Mars' },
      ],
      rows: [
        [1, 1, 'Ann', true, 2, DAY, ['L', 1, 3], 'x', 9, DAY],
        [2, 0, '', false, 0, ['E', 'TypeError', 'no'], null, null, 0, null],
      ],
    },
    {
      id: 'Orders_summary_Who',
      summarySourceTable: 2,
      columns: [
        { id: 'Who', type: 'Ref:People', meta: { summarySourceCol: 4, visibleCol: 2 } },
        {
          id: 'group',
          type: 'RefList:Orders',
          isFormula: true,
          formula: 'table.getSummarySourceGroup(rec)',
        },
        { id: 'count', type: 'Int', isFormula: true, formula: 'len($group)' },
        { id: 'Mean', type: 'Numeric', isFormula: true, formula: 'AVERAGE($group.Qty)' },
      ],
      rows: [
        [1, 1, ['L', 1], 1, 2],
        [2, 0, ['L', 2], 1, ['E', 'ZeroDivisionError']],
      ],
    },
    { id: 'GristHidden_import2', columns: [{ id: 'A', type: 'Text' }], rows: [[1, 'x']] },
  ],
  attachments: [
    { name: 'a.txt', bytes: long },
    { name: 'away.png' },
    { name: 'b.txt', bytes: long },
  ],
  sql: `
    INSERT INTO _grist_Pages (viewRef) VALUES (1);
    INSERT INTO _grist_Views_section (tableRef, parentId) VALUES (1, 1), (2, 1), (2, 0);
    INSERT INTO _grist_Filters (filter) VALUES ('{"included":["Ann"]}'), ('');
    INSERT INTO _grist_ACLRules (aclFormula, permissionsText) VALUES ('user.Access == OWNER', '-R');
    INSERT INTO _grist_Triggers (tableRef) VALUES (2);
    INSERT INTO _grist_Cells (content) VALUES ('{}');
    INSERT INTO _gristsys_ActionHistory (actionNum, body) VALUES (1, x'00'), (2, x'00'), (3, x'00');`,
}

describe('a Grist document', () => {
  it('has the same cells after the import, of every type and in every form', async () => {
    const made = await imports.import(values)
    expect(made.tables).toEqual([
      { id: 'People', rows: 2 },
      { id: 'All', rows: 7 },
    ])
    const all = values.tables[1]
    const expected = all?.rows.map(([, ...cells]) =>
      Object.fromEntries(all.columns.map(({ id }, i) => [id, cells[i]])),
    )
    const read = await imports.fields(made, 'All')
    expect(read).toEqual(expected)
    expect((await imports.rows(made, 'All')).map(({ id }) => id)).toEqual([1, 2, 3, 5, 6, 7, 8])
    const { settings } = imports.store.read(made.docId, ({ schema }) => schema)
    expect(settings).toEqual({ timezone: 'Europe/Berlin', locale: 'de-DE' })
  })

  it('brings its columns with their settings, and display columns of references', async () => {
    const made = await imports.import(orders)
    const { columns } = await imports.table(made, 'Orders')
    expect(columns.map(({ id }) => id)).toEqual([
      ...['manualSort', 'Who', 'gristHelper_Display', 'Qty', 'Stamp', 'Files', 'Odd', 'Lost', 'At'],
    ])
    const [, who, display, qty, stamp, , odd, lost, at] = columns
    expect(who).toMatchObject({ visibleCol: 2, displayCol: 5, reverseCol: 0, rules: null })
    expect(display).toMatchObject({ ref: 5, hidden: true, formula: '$Who.Name', isFormula: true })
    expect(stamp).toMatchObject({
      typeName: 'DateTime:America/New_York',
      formula: 'NOW()',
      isFormula: false,
      recalcWhen: 0,
      recalcDeps: JSON.stringify([qty?.ref]),
      untieColIdFromLabel: true,
      label: 'Changed at',
      description: 'when',
      widgetOptions: '{"alignment":"left"}',
    })
    expect([odd?.typeName, lost?.typeName, at?.typeName]).toEqual([
      'Any',
      'Int',
      'DateTime:Europe/Berlin',
    ])
    expect((await imports.fields(made, 'Orders'))[0]).toEqual({
      Who: 1,
      Qty: 2,
      Stamp: DAY,
      Files: ['L', 1, 3],
      Odd: 'x',
      Lost: 9,
      At: DAY,
    })
    expect((await imports.rows(made, 'Orders'))[1]).toMatchObject({
      fields: { Who: 0, Stamp: null },
      errors: { Stamp: 'TypeError' },
    })
  })

  it('has its summary tables as data, errors included', async () => {
    const made = await imports.import(orders)
    const { columns } = await imports.table(made, 'Orders_summary_Who')
    expect(columns.map(({ id, isFormula, formula }) => [id, isFormula, formula])).toEqual([
      ['manualSort', false, ''],
      ['Who', false, ''],
      ['group', false, ''],
      ['count', false, ''],
      ['Mean', false, ''],
    ])
    expect(await imports.fields(made, 'Orders_summary_Who')).toEqual([
      { Who: 1, group: ['L', 1], count: 1, Mean: 2 },
      { Who: 0, group: ['L', 2], count: 1, Mean: '#DIV/0!' },
    ])
    await imports.update(made, 'Orders_summary_Who', [1, { count: 5 }])
    expect((await imports.fields(made, 'Orders_summary_Who'))[0]).toMatchObject({ count: 5 })
  })

  it('names what is left out or changed', async () => {
    const { notes } = await imports.import(orders)
    expect(notes).toEqual([
      'left out: table "GristHidden_import2" of an unfinished import',
      'left out: conditional styles of table "Orders"',
      'changed: references of table "Orders" are no longer two-way',
      'changed: type "Blob" of column "Odd" of table "Orders" to Any',
      'changed: type "Ref:Gone" of column "Lost" of table "Orders" to Int',
      'changed: type "DateTime:Mars" of column "At" of table "Orders" to DateTime:Europe/Berlin',
      'changed: summary table "Orders_summary_Who" is a table of data, its formulas are left out',
      'left out: contents of 1 attachment, which the file does not contain',
      'left out: 1 page',
      'left out: 2 widgets of pages',
      'left out: 1 filter of a widget',
      'left out: 1 access rule',
      'left out: 1 webhook',
      'left out: 1 comment',
      'left out: 3 entries of the history',
    ])
  })

  it('brings its attachments with their contents, each stored once', async () => {
    const { docId, file } = await imports.import(orders)
    const attachments = imports.store.read(docId, ({ connection }) =>
      listAttachments(connection, { after: 0, count: 10 }),
    )
    const sha1 = createHash('sha1').update(long).digest('hex')
    expect(attachments).toMatchObject([
      { id: 1, fileName: 'a.txt', fileIdent: `${sha1}.txt`, fileSize: long.length, content: {} },
      { id: 2, fileName: 'away.png', fileType: 'image/png', fileSize: 7 },
      { id: 3, fileName: 'b.txt', timeUploaded: 1_700_000_000_003, content: {} },
    ])
    expect(attachments[1]?.content).toBeUndefined()
    const db = new Database(file, { readonly: true })
    const stored = db.prepare<[], Buffer>('SELECT bytes FROM _sheaf_file_chunks ORDER BY position')
    expect(Buffer.concat(stored.pluck().all()).equals(long)).toBe(true)
    expect(db.prepare('SELECT count(*) FROM _sheaf_file_chunks').pluck().get()).toBe(3)
    db.close()
  })
})
