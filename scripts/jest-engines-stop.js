// After the tests: stops the host of the engines, and waits until it has stopped them and deleted their data.
'use strict'

const { once } = require('node:events')

module.exports = async () => {
  const child = globalThis.sheafEngineHost
  if (child === undefined || child.exitCode !== null) return
  const ended = once(child, 'close')
  child.stdin.end()
  await ended
}
