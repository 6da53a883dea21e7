// Holds objects to the schemas of Kubernetes and cert-manager, as the packages of kubernetes-models have them: their
// types find fields that do not exist and fields that are missing, their validators what a type cannot tell.
'use strict'

const { join } = require('node:path')
const ts = require('typescript')

const root = join(__dirname, '../..')
const generated = join(root, 'deploy/kubernetes-objects.ts')

/** What people call an object. */
function nameOf({ kind, metadata }) {
  return `${kind} ${metadata?.name}`
}

/** The module that describes a kind. */
function moduleOf({ apiVersion, kind }) {
  const group = String(apiVersion).split('/')[0]
  const isOwn = !group.endsWith('cert-manager.io')
  return `${isOwn ? 'kubernetes-models' : '@kubernetes-models/cert-manager'}/${apiVersion}/${kind}`
}

/** The class of a kind; undefined when there is no such kind in that version. */
function findModel(object) {
  try {
    return require(moduleOf(object))[object.kind]
  } catch {
    return undefined
  }
}

/** An object as the validators want it: kustomize breaks long lines of base64, which Kubernetes takes and they do not. */
function withWholeLines(object) {
  if (object.kind !== 'Secret') return object
  const entries = Object.entries(object.data ?? {})
  return {
    ...object,
    data: Object.fromEntries(entries.map(([key, value]) => [key, value.replaceAll('\n', '')])),
  }
}

/** What the validators say. */
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

/** A program that says of each object that it is of its kind, with the line on which each begins. */
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

/** What the compiler says of that program. */
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

/** The faults of objects, one sentence each. */
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
