import { Closer, openWith } from '@sheaf/kit/lifecycle'
import type { Printer } from './printer'
import { untilReady } from './readiness'
import { summarizeLine } from './service-output'
import type { ServicePlan } from './service-plan'
import { ServiceProcess } from './service-process'
import { PortTakenError, StartError } from './start-error'

/** A service that fails this often before the system is ready is given up. */
const MOST_DEATHS_AT_START = 3

/** The supervised services; disposing stops them one by one, in reverse order of starting. */
export class ServiceFleet implements AsyncDisposable {
  private readonly closer = new Closer()
  private readonly services: ServiceProcess[] = []
  private readonly hopeless: Promise<never>
  private giveUp: (reason: StartError) => void = () => {}
  private changed: () => void = () => {}

  constructor(
    plans: readonly ServicePlan[],
    marker: string,
    private readonly printer: Printer,
  ) {
    this.hopeless = new Promise((_, reject) => (this.giveUp = reject))
    this.hopeless.catch(() => {}) // avoids an unhandled rejection after the start
    for (const plan of plans) this.services.push(this.closer.use(this.start(plan, marker)))
  }

  /** Pids of the running services, by name. */
  get pids(): Record<string, number> {
    return Object.fromEntries(
      this.services.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]])),
    )
  }

  /**
   * Waits for the end of the start. Throws StartError when a service fails repeatedly meanwhile,
   * PortTakenError when another program has taken its port.
   */
  async whileStarting(
    ready: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const settled = new AbortController()
    try {
      await Promise.race([ready(AbortSignal.any([signal, settled.signal])), this.hopeless])
    } finally {
      settled.abort()
    }
  }

  /** Calls `publish` whenever the pid of a service changes, never concurrently, until disposed of. */
  onChange(publish: () => Promise<void>): AsyncDisposable {
    let last = Promise.resolve()
    this.changed = () => {
      last = last.then(publish).catch((error: Error) => this.printer.say('sheaf', error.message))
    }
    return {
      [Symbol.asyncDispose]: () => {
        this.changed = () => {}
        return last
      },
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closer.close()
  }

  private start(plan: ServicePlan, marker: string): ServiceProcess {
    const { name } = plan
    return new ServiceProcess(plan, marker, {
      line: (line) => this.printer.relay(name, line),
      // Deferred until the constructor of the service has returned, since the listener reads its pid.
      started: () => queueMicrotask(() => this.changed()),
      died: ({ reason, deaths, lastLines }) => {
        this.printer.say('sheaf', `${name} exited unexpectedly (${reason}), restarting`)
        const words = lastLines.map(summarizeLine).join(' | ')
        const message = `${name} failed to start (${reason}): ${words}`
        if (deaths === 1 && words.includes('EADDRINUSE')) this.giveUp(new PortTakenError(message))
        else if (deaths >= MOST_DEATHS_AT_START) this.giveUp(new StartError(message))
      },
    })
  }
}

/**
 * Starts the services and resolves when they are ready. On failure it stops them all and throws StartError,
 * or PortTakenError when another program has taken a service's port.
 */
export function startFleet(
  plans: readonly ServicePlan[],
  options: { marker: string; printer: Printer; url: string; signal: AbortSignal },
): Promise<ServiceFleet> {
  const { marker, printer, url, signal } = options
  return openWith(async (closer) => {
    const fleet = closer.use(new ServiceFleet(plans, marker, printer))
    await fleet.whileStarting((settled) => untilReady(url, settled), signal)
    return fleet
  })
}
