// Starts the engines in a process of its own, so that a test can kill it without warning.
// Arguments: the data folder. Prints the URLs and pids as one line of JSON when both engines serve.
const { transformFileSync } = require('@swc/core')

require.extensions['.ts'] = (module, file) => {
  const options = {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  }
  module._compile(transformFileSync(file, options).code, file)
}

const { startEngines } = require('../src/engines.ts')

startEngines({ dataDir: process.argv[2], log: () => {} }).then(
  ({ databaseUrl, natsUrl, pids }) => console.log(JSON.stringify({ databaseUrl, natsUrl, pids })),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
