// Validates objects against the schemas of Kubernetes and cert-manager, as packaged by kubernetes-models: its
// types detect unknown and missing fields, its validators detect what types cannot express.
'use strict'

const { join } = require('node:path')
const ts = require('typescript')

const root = join(__dirname, '../..')
const generated = join(root, 'deploy/kubernetes-objects.ts')

/** Returns the display name of an object. */
function nameOf({ kind, metadata }) {
  return `${kind} ${metadata?.name}`
}

/** Returns the module that describes a kind. */
function moduleOf({ apiVersion, kind }) {
  const group = String(apiVersion).split('/')[0]
  const isOwn = !group.endsWith('cert-manager.io')
  return `${isOwn ? 'kubernetes-models' : '@kubernetes-models/cert-manager'}/${apiVersion}/${kind}`
}

/** Returns the class of a kind; undefined when that version has no such kind. */
function findModel(object) {
  try {
    return require(moduleOf(object))[object.kind]
  } catch {
    return undefined
  }
}

/**
 * Prepares an object for the validators: kustomize wraps long base64 lines, which Kubernetes accepts and the
 * validators reject.
 */
function withWholeLines(object) {
  if (object.kind !== 'Secret') return object
  const entries = Object.entries(object.data ?? {})
  return {
    ...object,
    data: Object.fromEntries(entries.map(([key, value]) => [key, value.replaceAll('\n', '')])),
  }
}

/** Returns the findings of the validators. */
function validate(object) {
  const Model = findModel(object)
  if (!Model) return [`${nameOf(object)}: there is no ${object.kind} in ${object.apiVersion}`]
  try {
    new Model(withWholeLines(object)).validate()
    return []
  } catch (error) {
    return [`${nameOf(object)}: ${error.message}`]
  }
}

/**
 * Generates a program that declares each object with the type of its kind, and the line on which each begins.
 */
function write(objects) {
  const lines = []
  const begins = objects.map((object, index) => {
    lines.push(`import type { I${object.kind} as T${index} } from '${moduleOf(object)}'`)
    const begin = lines.length
    lines.push(`export const o${index}: T${index} =`)
    lines.push(...JSON.stringify(object, undefined, 1).split('\n'))
    return begin
  })
  return { text: lines.join('\n'), begins }
}

const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2022.d.ts'],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
}

/** Returns the compiler's errors for that program. */
function compile(text) {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === generated || fileExists(path)
  host.getSourceFile = (path, ...rest) =>
    path === generated
      ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022)
      : getSourceFile(path, ...rest)
  const program = ts.createProgram([generated], options, host)
  return [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()]
}

/** Returns the faults of objects, one sentence each. */
function checkSchemas(objects) {
  const known = objects.filter(findModel)
  const { text, begins } = write(known)
  const lines = text.split('\n')
  const faults = compile(text).map(({ start = 0, file, messageText }) => {
    const { line } = ts.getLineAndCharacterOfPosition(file, start)
    const index = begins.findLastIndex((begin) => begin <= line)
    const message = ts.flattenDiagnosticMessageText(messageText, ' ')
    return `${nameOf(known[index])}, at ${lines[line].trim()}: ${message}`
  })
  return [...faults, ...objects.flatMap(validate)]
}

module.exports = { checkSchemas, nameOf }
