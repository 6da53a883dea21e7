// Generated code copies every `bytes` field and every encoded message once more than necessary to obtain a
// Buffer. The patched code uses a view of the same memory, and encodes messages in reused memory. Neither
// decoded nor encoded bytes are written to afterwards.
'use strict'

const { readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')

/**
 * Replacements by name. Every pattern must match somewhere; if one does not, the output of ts-proto has
 * changed.
 */
const patches = [
  {
    name: 'decoded bytes',
    pattern: /\bBuffer\.from\(reader\.bytes\(\)\)/g,
    replacement: 'asBuffer(reader.bytes())',
  },
  {
    name: 'encoded messages',
    pattern: /\bBuffer\.from\((\w+)\.encode\(value\)\.finish\(\)\)/g,
    replacement: 'encodeBytes($1, value)',
  },
]

/** Patches all generated files of a folder next to `bytes.ts`. Throws when a pattern matches nowhere. */
function patchFolder(folder) {
  const unmatched = new Set(patches)
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.ts')) continue
    const path = join(folder, name)
    const text = readFileSync(path, 'utf8')
    let patched = text
    for (const patch of patches) {
      const before = patched
      patched = patched.replace(patch.pattern, patch.replacement)
      if (patched !== before) unmatched.delete(patch)
    }
    if (patched === text) continue
    const from = relative(dirname(path), join(folder, '..', 'bytes')).replaceAll('\\', '/')
    const line = `import { asBuffer, encodeBytes } from '${from}'\n`
    writeFileSync(path, patched.replace(/^import /m, `${line}import `))
  }
  if (unmatched.size === 0) return
  const names = [...unmatched].map(({ name }) => name).join(', ')
  throw new Error(`the generated code has changed its form: no match for ${names}`)
}

module.exports = { patchFolder }

if (require.main === module) patchFolder(join(__dirname, 'gen'))
