/** By which a process for SQL ends itself when it takes too much memory. */
export const TOO_LARGE_SIGNAL = 'SIGUSR2'

/** How a process ends whose memory is at its end: by itself, by V8, or by the operating system. */
const OF_MEMORY: readonly (string | null)[] = [
  TOO_LARGE_SIGNAL,
  'SIGABRT',
  'SIGTRAP',
  'SIGILL',
  'SIGKILL',
]

/** True when a process that ended so may have had too little memory, or was killed on purpose; else it broke down. */
export function isOfMemory(signal: string | null): boolean {
  return OF_MEMORY.includes(signal)
}
