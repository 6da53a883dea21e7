// Lets a script require TypeScript sources of the workspaces, for checks that run before anything is compiled.
'use strict'

const { existsSync } = require('node:fs')
const Module = require('node:module')
const { join } = require('node:path')
const { transformFileSync } = require('@swc/core')
const { compilerOptions } = require('../tsconfig.check.json')

const root = join(__dirname, '..')

/** Returns the source folder of a workspace package, as the type-checker resolves it. */
function sourceOf(request) {
  const alias = Object.keys(compilerOptions.paths).find((path) =>
    new RegExp(`^${path.replace('*', '.*')}$`).test(request),
  )
  if (alias === undefined) return undefined
  const [source] = compilerOptions.paths[alias]
  const [before, after] = alias.split('*')
  const part = after === undefined ? '' : request.slice(before.length)
  return join(root, source.replace('*', part))
}

/** Lets this process require TypeScript sources, because `make check` runs before anything is compiled. */
function loadTypeScript() {
  const resolve = Module._resolveFilename
  Module._resolveFilename = function (request, parent, ...rest) {
    const source = sourceOf(request) ?? request
    const isBare = source.startsWith('.') && parent?.filename.endsWith('.ts')
    const path = isBare ? `${join(parent.path, source)}.ts` : source
    return existsSync(path) && path.endsWith('.ts')
      ? path
      : resolve.call(this, request, parent, ...rest)
  }
  Module._extensions['.ts'] = (module, file) => {
    const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' }
    const { code } = transformFileSync(file, { jsc, module: { type: 'commonjs' } })
    module._compile(code, file)
  }
}

module.exports = { loadTypeScript }
