import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { basename, dirname, join } from 'node:path'

// Loaded before a program by `node --require`: samples its processor time from SIGUSR2 until it ends, and
// writes a profile for Chrome DevTools to the folder in NODE_PROFILE_FOLDER. Node 20 does not permit
// --cpu-prof in NODE_OPTIONS.
const folder = process.env.NODE_PROFILE_FOLDER
const program = process.argv[1]
if (folder !== undefined && program !== undefined) {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: 500 })
  process.once('SIGUSR2', () => session.post('Profiler.start'))
  process.once('exit', () => {
    // …/services/<name>/dist/main.js
    const name = basename(dirname(dirname(program)))
    session.post('Profiler.stop', (error, stopped) => {
      if (error) return
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        join(folder, `${name}-${process.pid}.cpuprofile`),
        JSON.stringify(stopped.profile),
      )
    })
  })
}
