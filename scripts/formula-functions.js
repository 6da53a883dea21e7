// formula-functions.js [--check]: writes signature and description of each function of formulas, as the library has them, into
// the tables of docs/formulas.md, and these tables into the list that the console completes names from. With --check it writes
// nothing and fails when something differs.
'use strict'

const { execFileSync } = require('node:child_process')
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const prettier = require('prettier')

const root = join(__dirname, '..')
const evaluator = join(root, 'services/document-data/evaluator')
const page = join(root, 'docs/formulas.md')
const list = join(root, 'gateway/console/src/formulas/functions.json')
const HEADING = '\n## Functions\n'
const ROW = /^\| `(([A-Z][A-Z0-9_]*)\(.*\))`\s*\| (.*?)\s*\|$/gm
/** Functions that need the tables of a document: they are described on the page itself. */
const OF_ENGINE = ['CONTAINS', 'NEXT', 'PEEK', 'PREVIOUS', 'RANK', 'RECORD']

/** "Return the sum." becomes "returns the sum". */
function describe(doc) {
  const [first, ...rest] = doc.replace(/\.$/, '').split(' ')
  return [`${first.toLowerCase()}s`, ...rest].join(' ')
}

function readLibrary() {
  const text = execFileSync('python3', ['tests/list_functions.py'], {
    cwd: evaluator,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  return new Map(
    JSON.parse(text).map(({ name, signature, doc }) => [
      name,
      { signature, description: describe(doc) },
    ]),
  )
}

/** Throws when the page lacks a function, or has one that does not exist. */
function requireSame(described, library) {
  const wanted = [...library.keys(), ...OF_ENGINE].sort()
  const missing = wanted.filter((name) => !described.includes(name))
  const unknown = described.filter((name) => !wanted.includes(name))
  if (missing.length + unknown.length > 0)
    throw new Error(
      `docs/formulas.md: add ${missing.join(', ') || 'nothing'}, remove ${unknown.join(', ') || 'nothing'}`,
    )
}

async function main() {
  const library = readLibrary()
  const before = readFileSync(page, 'utf8')
  const [head, tables = ''] = before.split(HEADING)
  requireSame([...tables.matchAll(ROW)].map(([, , name]) => name).sort(), library)
  const renewed = tables.replace(ROW, (row, _, name) => {
    const found = library.get(name)
    return found ? `| \`${found.signature}\` | ${found.description} |` : row
  })
  const rows = [...renewed.matchAll(ROW)].map(([, signature, name, description]) => ({
    name,
    signature,
    description,
  }))
  // Those that always fail are no completions.
  const usable = rows
    .filter(({ description }) => !description.startsWith('raises '))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const format = async (path, text) =>
    prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path })
  const files = [
    [page, await format(page, head + HEADING + renewed)],
    [list, await format(list, JSON.stringify(usable))],
  ]
  const check = process.argv.includes('--check')
  for (const [path, text] of files) {
    if (!check) writeFileSync(path, text)
    else if (text !== readFileSync(path, 'utf8'))
      throw new Error(`${path} is not up to date: run node scripts/formula-functions.js`)
  }
}

main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
