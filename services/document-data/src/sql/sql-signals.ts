/** By which a process for SQL ends itself when it takes too much memory. */
export const TOO_LARGE_SIGNAL = 'SIGUSR2'
