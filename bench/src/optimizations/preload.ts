import Module from 'node:module'
import { sep } from 'node:path'
import { optimizations, type Exports } from './optimizations'

// Loaded before a program by `node --require`: the optimization that NODE_BENCH_WITHOUT names is replaced by plain code
// as its module is loaded, so that the product needs no switches.
const disabled = optimizations.find(({ name }) => name === process.env.NODE_BENCH_WITHOUT)

interface Extensions {
  '.js': (module: { exports: Exports }, filename: string) => void
}

if (disabled) {
  const { _extensions: extensions } = Module as unknown as { _extensions: Extensions }
  const load = extensions['.js']
  extensions['.js'] = (module, filename) => {
    load(module, filename)
    if (filename.replaceAll(sep, '/').endsWith(`/${disabled.module}`))
      disabled.disable(module.exports)
  }
}
