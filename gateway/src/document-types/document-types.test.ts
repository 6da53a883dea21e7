import { spawnSync } from 'node:child_process'
import Ajv2020 from 'ajv/dist/2020'
import fc from 'fast-check'
import ts from 'typescript'
import { readTableSchema, type TableSchema } from './document-schema'
import { describeFields } from './json-schema'
import { generatePython } from './python'
import { generateTypeScript } from './typescript'

interface Told {
  id: string
  type: string
  label?: string
  description?: string
  widgetOptions?: string
  formula?: string
}

const toTable = (id: string, columns: readonly Told[]): TableSchema =>
  readTableSchema(
    id,
    columns.map(({ id: colId, formula = '', ...fields }) => ({
      id: colId,
      colRef: 1,
      tableRef: 1,
      displayCol: 0,
      summarySourceCol: 0,
      reverseCol: 0,
      fields: { ...fields, formula, isFormula: formula !== '' },
    })),
  )

const people = toTable('People', [
  { id: 'Name', type: 'Text', label: 'Full name', description: 'As in the\npassport */' },
  { id: 'Born', type: 'Date' },
  { id: 'Team', type: 'Choice', widgetOptions: '{"choices":["red","blue"]}' },
  { id: 'Tags', type: 'ChoiceList', widgetOptions: '{"choices":["a","b"]}' },
  { id: 'Boss', type: 'Ref:People' },
  { id: 'Orders', type: 'RefList:Orders' },
  { id: 'Active', type: 'Bool' },
  { id: 'Age', type: 'Int', formula: '2026 - $Born' },
])
const orders = toTable('Orders', [{ id: 'Total', type: 'Numeric' }])

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
  lib: ['lib.es2022.d.ts'],
  noUnusedLocals: true,
}
/** The libraries are parsed once for all programs. */
const host = ts.createCompilerHost(options)
const libraries = new Map<string, ts.SourceFile | undefined>()

/** Returns the errors of a program of one file. */
function compile(text: string): string[] {
  const withFile: ts.CompilerHost = {
    ...host,
    fileExists: (name) => name === 'main.ts' || host.fileExists(name),
    getSourceFile: (name, target) => {
      if (name === 'main.ts') return ts.createSourceFile(name, text, target)
      if (!libraries.has(name)) libraries.set(name, host.getSourceFile(name, target))
      return libraries.get(name)
    },
  }
  const program = ts.createProgram(['main.ts'], options, withFile)
  // Checking the libraries as well takes longer than all else.
  const file = program.getSourceFile('main.ts')
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/** Compiles the types of two tables together with a use of them. */
const use = (text: string) =>
  compile(`${generateTypeScript([people, orders])}
type People = SheafDocument['People']
declare const read: People['read']
declare const boss: People['id']
declare const order: SheafDocument['Orders']['id']
${text}
export {}`)

/** Names that end comments and strings, that are keywords, or that hide what follows. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        '*/',
        '/*',
        '//',
        '"',
        "'",
        '`',
        '\\',
        '\n',
        '\r',
        '${',
        '}',
        '@ts-nocheck',
        '\u2028',
        '\u2029',
        '\u202e',
        '\u0000',
        '\ud800',
        '#',
        '"""',
        'class',
        '__proto__',
        'a',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
)
const typeNames = fc.oneof(
  fc.constantFrom(
    'Text',
    'Numeric',
    'Int',
    'Bool',
    'Date',
    'DateTime:UTC',
    'Choice',
    'ChoiceList',
    'Attachments',
    'Any',
    'constructor',
    '',
  ),
  hostileText.map((name) => `Ref:${name}`),
  hostileText.map((name) => `RefList:${name}`),
)
const column = fc.record({
  id: hostileText,
  type: typeNames,
  label: hostileText,
  description: hostileText,
  formula: fc.constantFrom('', '1'),
  widgetOptions: fc.oneof(
    hostileText,
    fc.array(hostileText, { maxLength: 4 }).map((choices) => JSON.stringify({ choices })),
    fc.constantFrom('null', '{"choices":{}}', '{"choices":[1,null,"a","a"]}'),
  ),
})
const table = fc
  .tuple(hostileText, fc.uniqueArray(column, { selector: ({ id }) => id, maxLength: 5 }))
  .map(([id, columns]) => toTable(id, columns))
const document = fc.uniqueArray(table, { selector: ({ id }) => id, maxLength: 3 })

describe('TypeScript types', () => {
  it('name choices, referenced tables, labels and descriptions', () => {
    const text = generateTypeScript([people])
    expect(text).toContain(
      '      /** Full name: As in the passport * / */\n      Name: string | null\n',
    )
    expect(text).toContain('Team: "" | "red" | "blue" | null\n')
    expect(text).toContain('Tags: ["L", ...("a" | "b")[]] | null\n')
    expect(text).toContain('Boss: RowId<"People">\n')
    expect(text).toContain('readonly Age: number | null\n')
    expect(text).not.toContain('Age?:')
  })

  it('accept what a document accepts', () => {
    expect(
      use(`const a: People['write'] = { Name: 'Ada', Born: '1815-12-10', Team: 'red', Boss: boss, Active: true }
const b: People['write'] = { Boss: 7, Tags: ['L', 'a'], Orders: ['L', order], Born: null }
const name: string | null = read.Name
void [a, b, name]`),
    ).toEqual([])
  })

  it.each([
    ['an unknown choice', `const a: People['write'] = { Team: 'green' }; void a`],
    ['the id of another table', `const a: People['write'] = { Boss: order }; void a`],
    ['a formula column', `const a: People['write'] = { Age: 3 }; void a`],
    ['a change of a formula cell', `read.Age = 3`],
    ['an unknown column', `void read.Nmae`],
    ['text for a number', `const a: SheafDocument['Orders']['write'] = { Total: '1' }; void a`],
  ])('reject %s', (_, text) => {
    expect(use(text)).toHaveLength(1)
  })

  it('compile whatever tables, columns, labels and choices are called', () => {
    fc.assert(
      fc.property(document, (tables) => {
        expect(compile(generateTypeScript(tables))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('are the same for the same tables', () => {
    fc.assert(
      fc.property(document, (tables) => {
        expect(generateTypeScript(structuredClone(tables))).toBe(generateTypeScript(tables))
      }),
      { numRuns: 50 },
    )
  })
})

describe('Python types', () => {
  /** Runs modules in one process of Python, which returns the keys of each class of each. */
  function run(modules: readonly string[]): Record<string, string[]>[] {
    const program = `
import json, sys
sys.stdin.reconfigure(encoding="utf-8")
answers = []
for module in json.load(sys.stdin):
    names = {}
    exec(compile(module, "types.py", "exec"), names)
    answers.append({name: list(of.__annotations__) for name, of in names.items() if isinstance(of, type)})
print(json.dumps(answers))`
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(modules),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return JSON.parse(stdout) as Record<string, string[]>[]
  }

  it('have a class of the cells read and one of those that can be written', () => {
    const [classes] = run([generatePython([people, orders])])
    expect(classes).toEqual({
      PeopleRecord: people.columns.map(({ id }) => id),
      PeopleInput: people.columns.map(({ id }) => id).filter((id) => id !== 'Age'),
      OrdersRecord: ['Total'],
      OrdersInput: ['Total'],
    })
  })

  it('load whatever tables, columns, labels and choices are called', () => {
    const documents = fc.sample(document, { numRuns: 150, seed: 26 })
    const loaded = run(documents.map(generatePython))
    expect(loaded.map((classes) => Object.keys(classes).length)).toEqual(
      documents.map((tables) => 2 * tables.length),
    )
  })
})

describe('the JSON Schema of a table', () => {
  it('accepts records as they are read, and nothing else', () => {
    const isValid = new Ajv2020({ strict: false }).compile(describeFields(people))
    const fields = {
      Name: 'Ada',
      Born: -4864665600,
      Team: 'red',
      Tags: ['L', 'a'],
      Boss: 0,
      Orders: ['L', 3],
      Active: true,
      Age: null,
    }
    expect(isValid(fields)).toBe(true)
    const wrong = [{ Team: 'green' }, { Tags: ['a'] }, { Boss: -1 }, { Born: '1815' }, { Else: 1 }]
    expect(wrong.filter((change) => isValid({ ...fields, ...change }))).toEqual([])
  })

  it('is valid whatever columns are called', () => {
    const ajv = new Ajv2020({ strict: false })
    fc.assert(
      fc.property(table, (some) => {
        // A response is UTF-8, which has no halves of surrogate pairs, and Ajv fails for them.
        const text = JSON.stringify(describeFields(some)).replace(/\\ud[89a-f][0-9a-f]{2}/g, '?')
        expect(() => ajv.compile(JSON.parse(text) as object)).not.toThrow()
      }),
    )
  })
})
