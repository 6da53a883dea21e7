import { Cause, ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { changeJson } from './change-json'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

const event = ChangeEvent.fromPartial({
  docId: 'doc',
  seq: 7,
  timeMs: Date.UTC(2024, 0, 2),
  userId: 12,
  cause: Cause.API,
  operations: [
    {
      operation: {
        $case: 'addRows',
        value: {
          tableId: 'People',
          tableRef: 1,
          rowIds: [1, 2],
          columns: [
            { colId: 'Name', colRef: 2, newValuesJson: json(['Ada', 'Line\u2028"two"\n']) },
          ],
        },
      },
    },
    {
      operation: {
        $case: 'updateRows',
        value: {
          tableId: 'People',
          tableRef: 1,
          rowIds: [1],
          columns: [
            { colId: 'Name', colRef: 2, oldValuesJson: json(['Ada']), newValuesJson: json([null]) },
            { colId: 'Age', colRef: 3, oldValuesJson: json([1]), newValuesJson: json([['L', 2]]) },
          ],
        },
      },
    },
    {
      operation: {
        $case: 'removeRows',
        value: {
          tableId: 'People',
          tableRef: 1,
          rowIds: [2],
          columns: [{ colId: 'Name', colRef: 2, oldValuesJson: json(['two']) }],
        },
      },
    },
    {
      operation: {
        $case: 'schema',
        value: {
          kind: 'update_column',
          tableId: 'People',
          tableRef: 1,
          colId: 'Age',
          colRef: 3,
          oldJson: json({ label: 'Age' }),
          newJson: json({ label: 'Years' }),
        },
      },
    },
    {
      operation: {
        $case: 'schema',
        value: { kind: 'add_table', tableId: 'Pets', tableRef: 4, newJson: json({ columns: [] }) },
      },
    },
    {
      operation: {
        $case: 'schema',
        value: {
          kind: 'remove_column',
          tableId: 'People',
          tableRef: 1,
          colId: 'Age',
          colRef: 3,
          oldJson: json({ label: 'Years' }),
          rowIds: [1],
          oldValuesJson: json([['L', 2]]),
        },
      },
    },
  ],
})

const parse = (...args: Parameters<typeof changeJson>) =>
  JSON.parse(changeJson(...args).toString()) as unknown

describe('changeJson', () => {
  const expected = {
    seq: 7,
    time: '2024-01-02T00:00:00.000Z',
    userId: 12,
    cause: 'api',
    operations: [
      {
        action: 'addRows',
        tableId: 'People',
        tableRef: 1,
        rowIds: [1, 2],
        columns: { Name: { colRef: 2, new: ['Ada', 'Line\u2028"two"\n'] } },
      },
      {
        action: 'updateRows',
        tableId: 'People',
        tableRef: 1,
        rowIds: [1],
        columns: {
          Name: { colRef: 2, old: ['Ada'], new: [null] },
          Age: { colRef: 3, old: [1], new: [['L', 2]] },
        },
      },
      {
        action: 'removeRows',
        tableId: 'People',
        tableRef: 1,
        rowIds: [2],
        columns: { Name: { colRef: 2, old: ['two'] } },
      },
      {
        action: 'updateColumn',
        tableId: 'People',
        tableRef: 1,
        colId: 'Age',
        colRef: 3,
        old: { label: 'Age' },
        new: { label: 'Years' },
      },
      { action: 'addTable', tableId: 'Pets', tableRef: 4, new: { columns: [] } },
      {
        action: 'removeColumn',
        tableId: 'People',
        tableRef: 1,
        colId: 'Age',
        colRef: 3,
        old: { label: 'Years' },
        cells: { rowIds: [1], old: [['L', 2]] },
      },
    ],
  }

  it('holds every operation with old and new values', () => {
    expect(parse(event, { oldValues: true })).toEqual(expected)
  })

  it('is one line, whatever the values hold', () => {
    expect(changeJson(event, { oldValues: true }).toString()).not.toMatch(/[\n\r]/)
  })

  it('leaves old values out where they are not to be seen', () => {
    const text = changeJson(event, { oldValues: false }).toString()
    expect(text).not.toContain('"old"')
    expect(text).not.toContain('"two"]')
    expect(JSON.parse(text)).toMatchObject({
      operations: [{ action: 'addRows' }, {}, {}, {}, {}, {}],
    })
  })

  it('takes more fields, names nobody for the system, and says when operations were left out', () => {
    const given = { ...event, userId: 0, operations: [], truncated: true }
    expect(parse(given, { oldValues: true, more: { user: null } })).toEqual({
      seq: 7,
      time: '2024-01-02T00:00:00.000Z',
      userId: null,
      user: null,
      cause: 'api',
      truncated: true,
      operations: [],
    })
  })
})
