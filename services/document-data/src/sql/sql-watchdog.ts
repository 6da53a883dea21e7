import { workerData } from 'node:worker_threads'
import { TOO_LARGE_SIGNAL } from './sql-signals'

/*
 * The program of a thread beside a process for SQL: while SQLite works, nothing else in that process can notice that its
 * parent was killed, or how large it has become where the operating system does not limit it.
 */

const LOOK_MS = 50

const { parent, maxBytes } = workerData as { readonly parent: number; readonly maxBytes: number }

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  else if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, TOO_LARGE_SIGNAL)
}, LOOK_MS)
