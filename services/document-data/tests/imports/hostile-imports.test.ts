import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { Imports } from '../../src/import/imports'
import { ImportInstance } from '../support/import-instance'
import { author, buildWorkers } from '../support/test-store'
import { zipOf } from '../support/zip-file'

const MIB = 1024 * 1024

let imports: ImportInstance
let folder: TempDir
beforeAll(async () => {
  buildWorkers()
  imports = await ImportInstance.start()
  folder = await tempDir()
})
afterAll(async () => {
  await imports[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const workbook = (parts: Record<string, string | Buffer>, sizes: Record<string, number> = {}) =>
  zipOf(
    {
      '_rels/.rels':
        '<Relationships><Relationship Id="1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="1" Type="x/worksheet" Target="s.xml"/><Relationship Id="2" Type="x/sharedStrings" Target="t.xml"/></Relationships>',
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>',
      ...parts,
    },
    sizes,
  )

const inline = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const sheet = (cells: string) => `<worksheet><sheetData>${cells}</sheetData></worksheet>`

describe('a workbook', () => {
  it('that is made by hand is read', async () => {
    const cells = '<row><c t="inlineStr"><is><t>a</t></is></c></row><row><c><v>5</v></c></row>'
    const made = await imports.import('ok.xlsx', workbook({ 'xl/s.xml': sheet(cells) }))
    expect(await imports.rows(made, 'S')).toEqual([{ a: 5 }])
  })

  const bomb = deflateRawSync(Buffer.alloc(64 * MIB, 32))
  it.each<[string, string, RegExp, () => Buffer]>([
    [
      'that says it unpacks to gigabytes',
      'IMPORT_TOO_LARGE',
      /must not be larger than 1024 MiB/,
      () => workbook({ 'xl/s.xml': bomb, 'xl/t.xml': bomb }, { 'xl/s.xml': 3e9, 'xl/t.xml': 3e9 }),
    ],
    [
      'that unpacks to more than it says',
      'BAD_IMPORT_FILE',
      /failed to decompress/,
      () => workbook({ 'xl/s.xml': bomb }, { 'xl/s.xml': 1000 }),
    ],
    [
      'of blanks without an end',
      'IMPORT_TOO_LARGE',
      /too long/,
      () => workbook({ 'xl/s.xml': bomb }, { 'xl/s.xml': 64 * MIB }),
    ],
    [
      'with entities that multiply',
      'BAD_IMPORT_FILE',
      /malformed XML/,
      () =>
        workbook({
          'xl/s.xml': `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${sheet('<row><c t="str"><v>&b;</v></c></row>')}`,
        }),
    ],
    [
      'with elements in elements in elements',
      'IMPORT_TOO_LARGE',
      /too deep/,
      () => workbook({ 'xl/s.xml': '<a>'.repeat(100_000) }),
    ],
    [
      'with a cell in column XFD',
      'TOO_MANY_COLUMNS',
      /sheet "S", row 1/,
      () => workbook({ 'xl/s.xml': sheet('<row r="1"><c r="XFD1"><v>1</v></c></row>') }),
    ],
    [
      'with a huge cell',
      'IMPORT_TOO_LARGE',
      /sheet "S", row 7: a cell/,
      () =>
        workbook({
          'xl/s.xml': sheet(`<row r="7"><c t="str"><v>${'x'.repeat(2e6)}</v></c></row>`),
        }),
    ],
    [
      'that ends in the middle of a sheet',
      'BAD_IMPORT_FILE',
      /malformed XML/,
      () => workbook({ 'xl/s.xml': '<worksheet><sheetData><row>' }),
    ],
    [
      'with half a character',
      'BAD_IMPORT_FILE',
      /Unicode/,
      () =>
        workbook({ 'xl/s.xml': sheet(`<row>${inline('a')}</row><row>${inline('_xD800_')}</row>`) }),
    ],
    [
      'without sheets',
      'BAD_IMPORT_FILE',
      /has no data/,
      () => workbook({ 'xl/workbook.xml': '<workbook/>' }),
    ],
    [
      'that is another zip file',
      'BAD_IMPORT_FILE',
      /not an XLSX file/,
      () => zipOf({ 'a.txt': 'x' }),
    ],
    [
      'that is cut off',
      'BAD_IMPORT_FILE',
      /damaged/,
      () => workbook({ 'xl/s.xml': sheet('') }).subarray(0, -30),
    ],
    [
      'that is no zip file',
      'BAD_IMPORT_FILE',
      /do not match its extension/,
      () => Buffer.from('a,b\n1,2\n'),
    ],
  ])('%s is refused', async (_, reason, message, make) => {
    await imports.expectRefused('evil.xlsx', make(), { reason, message })
  })

  it('with a long number keeps its digits', async () => {
    const cells = ['12345678901234567', '1e-400', '0.10000000000000001', '9007199254740991']
    const row = (values: string[]) =>
      `<row>${values.map((value) => `<c><v>${value}</v></c>`).join('')}</row>`
    const file = workbook({ 'xl/s.xml': sheet(row(['1', '2', '3', '4']) + row(cells)) })
    const made = await imports.import('long.xlsx', file)
    const [values = {}] = await imports.rows(made, 'S')
    expect(Object.values(values)).toEqual(['12345678901234567', '1e-400', 0.1, 9007199254740991])
  })

  it('with a text number that is not there has a blank cell', async () => {
    const cells =
      '<row><c t="inlineStr"><is><t>a</t></is></c><c t="str"><v>b</v></c></row><row><c t="s"><v>99</v></c><c t="b"><v>1</v></c></row>'
    const made = await imports.import('odd.xlsx', workbook({ 'xl/s.xml': sheet(cells) }))
    expect(await imports.rows(made, 'S')).toEqual([{ a: null, b: true }])
  })
})

describe('a text', () => {
  it.each<[string, string, string, RegExp, () => string | Buffer]>([
    [
      'a million columns',
      'a.csv',
      'TOO_MANY_COLUMNS',
      /line 1: a table must not have more than/,
      () => 'a,'.repeat(1e6),
    ],
    [
      'a million columns in a later row',
      'a.csv',
      'TOO_MANY_COLUMNS',
      /line 3:/,
      () => `a,b\n1,2\n${','.repeat(1e6)}`,
    ],
    [
      'a huge cell',
      'a.csv',
      'IMPORT_TOO_LARGE',
      /line 2: a cell must not have/,
      () => `a\n${'x'.repeat(2e6)}\n`,
    ],
    [
      'a row without end',
      'a.csv',
      'IMPORT_TOO_LARGE',
      /line \d+: the row is too long/,
      () => `a\n"${'x\n'.repeat(9e6)}`,
    ],
    [
      'a quote that is not closed',
      'a.csv',
      'BAD_IMPORT_FILE',
      /line 3: unclosed quote/,
      () => 'a,b\n1,2\n"3,4',
    ],
    [
      'bytes that are no text',
      'a.csv',
      'BAD_IMPORT_FILE',
      /not a text file/,
      () => Buffer.from([1, 0, 2, 0xff]),
    ],
    [
      'half a character of UTF-16',
      'a.csv',
      'BAD_IMPORT_FILE',
      /invalid utf-16le text/,
      () => Buffer.from('\ufeffa\n\ud800\n', 'utf16le'),
    ],
    ['nothing', 'a.json', 'BAD_IMPORT_FILE', /empty/, () => ''],
    ['line ends alone', 'a.csv', 'BAD_IMPORT_FILE', /empty/, () => '\n\n\r\n'],
    [
      'an old workbook',
      'a.csv',
      'UNKNOWN_FILE_FORMAT',
      /XLS/,
      () => Buffer.from('d0cf11e0a1b11ae10000', 'hex'),
    ],
    [
      'compressed data',
      'a.csv',
      'UNKNOWN_FILE_FORMAT',
      /compressed/,
      () => Buffer.from('1f8b0800', 'hex'),
    ],
    ['no known kind', 'a.pdf', 'UNKNOWN_FILE_FORMAT', /CSV, TSV, XLSX/, () => '%PDF-1.7'],
    ['deep JSON', 'a.json', 'IMPORT_TOO_LARGE', /too deep/, () => '['.repeat(1e6)],
    [
      'a deep value in JSON',
      'a.json',
      'IMPORT_TOO_LARGE',
      /too deep/,
      () => `[{"a":${'['.repeat(5000)}${']'.repeat(5000)}}]`,
    ],
    ['JSON that is cut off', 'a.json', 'BAD_IMPORT_FILE', /unexpected end/, () => '[{"a":1},{"a"'],
    ['JSON that is none', 'a.json', 'BAD_IMPORT_FILE', /invalid JSON/, () => '[{"a":secret}]'],
    [
      'JSON with something behind',
      'a.json',
      'BAD_IMPORT_FILE',
      /invalid JSON/,
      () => '[{"a":1}] []',
    ],
    [
      'JSON without objects',
      'a.json',
      'BAD_IMPORT_FILE',
      /item 2: must be an object/,
      () => '[{"a":1},2]',
    ],
    [
      'JSON without lists',
      'a.json',
      'BAD_IMPORT_FILE',
      /table "a": must be an array/,
      () => '{"a":{"b":1}}',
    ],
    ['a number as JSON', 'a.json', 'BAD_IMPORT_FILE', /array of objects/, () => '1'],
    [
      'a million keys in JSON',
      'a.json',
      'TOO_MANY_COLUMNS',
      /item 1:/,
      () => `[{${Array.from({ length: 1e5 }, (_, i) => `"k${i}":1`).join()}}]`,
    ],
    [
      'a table twice in JSON',
      'a.json',
      'BAD_IMPORT_FILE',
      /duplicate table/,
      () => '{"a":[{"b":1}],"c":[],"a":[{"b":1}]}',
    ],
  ])('with %s is refused', async (...[, name, reason, message, make]) => {
    await imports.expectRefused(name, make(), { reason, message })
  })

  it('with half a character loses it', async () => {
    const made = await imports.import('half.json', '[{"a":"x\\ud800"}]')
    expect(await imports.rows(made, 'Half')).toEqual([{ a: 'x' }])
  })

  it('takes keys of JSON that mean something to JavaScript', async () => {
    const text = '[{"__proto__":1,"constructor":2,"toString":"x","id":9}]'
    const made = await imports.import('keys.json', text)
    const [row = {}] = await imports.rows(made, 'Keys')
    expect(Object.values(row)).toEqual(expect.arrayContaining([2, 'x', 9]))
  })

  it('that is larger than an import may be is refused while it comes', async () => {
    await imports.expectRefused('a.csv', Buffer.alloc(33 * MIB, 'a,b\n'), {
      reason: 'UPLOAD_TOO_LARGE',
      message: /must not be larger than 32 MiB/,
    })
  })
})

describe('an import process', () => {
  it('that takes too long is killed, and nothing is left', async () => {
    await using slow = await ImportInstance.start({ maxImportSeconds: 1 })
    const lines = 'some,text,in,columns\n'.repeat(1_000_000)
    await expect(slow.import('slow.csv', lines)).rejects.toMatchObject({
      code: 'too_large',
      reason: 'IMPORT_TOO_LARGE',
      message: 'the import took longer than 1 seconds',
    })
    expect(await slow.remains()).toEqual({ unfinished: 0, documents: 0 })
  })

  it('that takes too much memory is killed', async () => {
    const program = join(folder.path, 'greedy.js')
    writeFileSync(
      program,
      `${channel(() => {})}
       const kept = []
       setInterval(() => kept.push(Buffer.alloc(8e6, 1)), 5)`,
    )
    const greedy = new Imports({ maxMs: 60_000, program, residentMb: 150 })
    await expect(greedy.run(request, () => {}, new AbortController().signal)).rejects.toMatchObject(
      {
        reason: 'IMPORT_TOO_LARGE',
        message: expect.stringMatching(/memory/) as string,
      },
    )
  })

  it('that dies is no fault of the file, and ends when nobody wants it any more', async () => {
    const program = join(folder.path, 'dying.js')
    writeFileSync(
      program,
      channel(() => process.exit(3)),
    )
    const dying = new Imports({ maxMs: 60_000, program })
    await expect(dying.run(request, () => {}, new AbortController().signal)).rejects.toThrow(
      'an import was interrupted',
    )
    writeFileSync(program, 'setInterval(() => {}, 1000)')
    const stop = new AbortController()
    const outcomes = [1, 2, 3].map(() => dying.run(request, () => {}, stop.signal))
    const reason = new Error('nobody wants it')
    stop.abort(reason)
    for (const outcome of await Promise.allSettled(outcomes))
      expect(outcome).toEqual({ status: 'rejected', reason })
  })

  it('that is queued when the service stops fails, and starts no process', async () => {
    const program = join(folder.path, 'endless.js')
    writeFileSync(program, 'setInterval(() => {}, 1000)')
    const stopping = new Imports({ maxMs: 5_000, program })
    const { signal } = new AbortController()
    const outcomes = [1, 2, 1, 2].map((userId) =>
      stopping.run({ ...request, author: { ...author, userId } }, () => {}, signal),
    )
    const settled = Promise.allSettled(outcomes)
    // Two processes start in this turn of the event loop.
    await new Promise(setImmediate)
    await stopping[Symbol.asyncDispose]()
    expect(await settled).toMatchObject([
      { reason: { message: 'an import was interrupted' } },
      { reason: { message: 'an import was interrupted' } },
      { reason: { code: 'unavailable', reason: 'DOCUMENT_CLOSED' } },
      { reason: { code: 'unavailable', reason: 'DOCUMENT_CLOSED' } },
    ])
  })

  it('finds a place only while there are not too many', () => {
    const some = new Imports({ maxMs: 1 })
    const places = Array.from({ length: 4 }, () => some.hold(1))
    expect(() => some.hold(1)).toThrow('too many concurrent imports of this user, retry later')
    for (let i = 0; i < 12; i++) places.push(some.hold(10 + i))
    expect(() => some.hold(2)).toThrow('too many concurrent imports, retry later')
    places[0]?.()
    places[0]?.()
    some.hold(2)
    expect(() => some.hold(2)).toThrow('too many concurrent imports, retry later')
  })

  it('lets the import of another user run beside those of one who has many', async () => {
    const program = join(folder.path, 'endless.js')
    writeFileSync(program, 'setInterval(() => {}, 1000)')
    await using imports = new Imports({ maxMs: 60_000, program })
    const ended = new AbortController()
    const run = (userId: number) =>
      imports.run({ ...request, author: { ...author, userId } }, () => {}, ended.signal)
    const many = Array.from({ length: 4 }, () => run(1))
    await new Promise(setImmediate)
    expect([imports.runningCount, imports.waitingCount]).toEqual([1, 3])
    const other = run(2)
    await new Promise(setImmediate)
    expect([imports.runningCount, imports.waitingCount]).toEqual([2, 3])
    ended.abort(new Error('left'))
    for (const call of [...many, other]) await expect(call).rejects.toThrow('left')
    expect(imports.waitingCount).toBe(0)
  })
})

const request = { upload: '', fileName: '', target: '', author }

/** The text of a program that says that it is ready, and does this with its request. */
const channel = (onMessage: () => void) => `
  const { openParentChannel } = require(${JSON.stringify(join(__dirname, '../../dist/processes/parent-channel.js'))})
  openParentChannel(${onMessage.toString()}).send({ kind: 'ready' })`
