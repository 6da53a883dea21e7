import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { basename, dirname, join } from 'node:path'

// Loaded before a program by `node --require`: its processor time is sampled from SIGUSR2 to its end, and written into the
// folder that the environment names, as a file that the tools of Chrome open. Node 20 takes no --cpu-prof in NODE_OPTIONS.
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
