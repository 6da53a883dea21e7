// Generated code copies every field of bytes and every encoded message once more than it must, to have a Buffer: here
// it gets a view of the same memory, and messages are encoded in memory that is used again. Nothing that is decoded or
// encoded is written to afterwards.
const { readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')

const GEN = join(__dirname, 'gen')
const copies = [
  [/\bBuffer\.from\(reader\.bytes\(\)\)/g, 'asBuffer(reader.bytes())'],
  [/\bBuffer\.from\((\w+)\.encode\(value\)\.finish\(\)\)/g, 'encodeBytes($1, value)'],
]

let edited = 0
for (const name of readdirSync(GEN, { recursive: true })) {
  if (!name.endsWith('.ts')) continue
  const path = join(GEN, name)
  const text = readFileSync(path, 'utf8')
  const lean = copies.reduce((all, [copy, view]) => all.replace(copy, view), text)
  if (lean === text) continue
  edited++
  const from = relative(dirname(path), join(__dirname, 'bytes')).replaceAll('\\', '/')
  writeFileSync(
    path,
    lean.replace(/^import /m, `import { asBuffer, encodeBytes } from '${from}'\nimport `),
  )
}
if (edited === 0)
  throw new Error('the generated code has another form: protos/lean.js does not know it')
