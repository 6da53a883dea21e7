import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Reads lines `+ TARGET` and `- TARGET`: a process, or a process group as a negative number. When its input
 * ends, because the process at the other end has ended, it kills the remaining targets.
 */
const SCRIPT = `
targets=
while read -r change target; do
  rest=
  for other in $targets; do [ "$other" = "$target" ] || rest="$rest $other"; done
  targets=$rest
  [ "$change" = + ] && targets="$targets $target"
done
for target in $targets; do kill -s KILL -- "$target"; done`

/**
 * Kills processes when this process ends for any reason. A separate shell does so, because a program of any
 * kind, busy or hostile, cannot be relied on to notice the end of its parent. The shell runs only while such
 * processes exist.
 */
class OrphanGuard {
  private readonly targets = new Set<number>()
  private shell: ChildProcess | undefined

  /** Adds a process, or a process group as a negative number. */
  add(target: number): void {
    this.targets.add(target)
    if (this.shell) this.shell.stdin?.write(`+ ${target}\n`)
    else this.start()
  }

  /** Removes a process that has ended. */
  remove(target: number): void {
    if (!this.targets.delete(target)) return
    this.shell?.stdin?.write(`- ${target}\n`)
    if (this.targets.size > 0) return
    this.shell?.stdin?.end()
    this.shell = undefined
  }

  private start(): void {
    // A session of its own, so that ^C in a terminal does not end the guard before this process.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.shell = shell
    shell.unref()
    // Absent when this process has no free file descriptor; the event `error` follows.
    const stdin = shell.stdin as Socket | undefined
    stdin?.unref()
    // A write error is ignored; the exit of the shell is handled instead.
    stdin?.on('error', () => {})
    shell.once('error', () => this.forget(shell))
    shell.once('exit', () => {
      if (this.forget(shell) && this.targets.size > 0) this.start()
    })
    for (const target of this.targets) stdin?.write(`+ ${target}\n`)
  }

  private forget(shell: ChildProcess): boolean {
    if (this.shell !== shell) return false
    this.shell = undefined
    return true
  }
}

/** The guard of this process. */
export const orphanGuard = new OrphanGuard()
