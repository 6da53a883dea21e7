import { readFileSync } from 'node:fs'

/** Environment variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>

/** Host and port to listen on. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** All faults of the settings, one sentence each. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
  }
}

/**
 * Reads settings and collects faults, so that an operator can fix all of them at once: each method returns a usable value
 * even when the setting is invalid, and `done` throws when there was any fault. An empty setting counts as absent.
 */
export class EnvReader {
  /** Names of all settings read so far; tests compare them with the reference page. */
  readonly names: ReadonlySet<string>
  private readonly asked = new Set<string>()
  private readonly faults: string[] = []
  /** Former names of settings, by their names. */
  private readonly formerNames = new Map<string, string>()
  private readonly warned = new Set<string>()

  /** @param warn receives a sentence for each setting that is set under a former name */
  constructor(
    private readonly env: Env,
    private readonly warn: (sentence: string) => void = () => {},
  ) {
    this.names = this.asked
  }

  /** Declares that a setting had another name, which is still read unless the setting is also set under its name; returns the name. */
  renamed(formerName: string, name: string): string {
    this.formerNames.set(name, formerName)
    return name
  }

  /** Text; a fault when it is absent and there is no default. */
  str(name: string, fallback?: string): string {
    return this.optional(name) ?? fallback ?? this.fault('', `${name} is not set`)
  }

  /** Text, or undefined when absent. */
  optional(name: string): string | undefined {
    this.asked.add(name)
    const value = this.read(name)
    const formerName = this.formerNames.get(name)
    if (formerName === undefined) return value
    const formerValue = this.read(formerName)
    if (formerValue === undefined) return value
    const isIgnored = value === undefined ? '' : ' and is ignored, since both are set'
    if (!this.warned.has(name)) this.warn(`${formerName} is now called ${name}${isIgnored}`)
    this.warned.add(name)
    return value ?? formerValue
  }

  /** A secret: NAME itself, or the contents of the file that NAME_FILE names. */
  secret(name: string): string {
    return this.optionalSecret(name) ?? this.fault('', `${name} (or ${name}_FILE) is not set`)
  }

  /** As `secret`, or undefined when absent. */
  optionalSecret(name: string): string | undefined {
    const file = this.optional(`${name}_FILE`)
    const value = this.optional(name)
    if (file === undefined) return value
    if (value !== undefined) return this.fault(value, `${name} and ${name}_FILE are both set`)
    try {
      return readFileSync(file, 'utf8').trim()
    } catch {
      return this.fault('', `${name}_FILE names a file that cannot be read`)
    }
  }

  /** A URL with one of these schemes, or undefined when absent. `text` replaces the setting's value when that is a secret. */
  optionalUrl(
    name: string,
    schemes: readonly string[],
    text = this.optional(name),
  ): string | undefined {
    if (text === undefined) return undefined
    const isOne = URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))
    return isOne
      ? text
      : this.fault(undefined, `${name} must be an address with ${schemes.join(':// or ')}://`)
  }

  /** `host:port` to listen on, or undefined when absent; port 0 takes a free one. */
  optionalListen(name: string): ListenAddress | undefined {
    const text = this.optional(name)
    if (text === undefined) return undefined
    const [matched, host = '', digits = ''] =
      /^(\[[\da-f:.]+\]|[^\s:/[\]]+):(\d{1,5})$/i.exec(text) ?? []
    const port = Number(digits)
    if (matched === undefined || port > 65_535)
      return this.fault(undefined, `${name} must be host:port`)
    return { host: host.replace(/^\[|\]$/g, ''), port }
  }

  /** A whole number within bounds. */
  int(name: string, fallback: number, bounds: { min?: number; max?: number } = {}): number {
    const text = this.optional(name)
    if (text === undefined) return fallback
    const value = Number(text)
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = bounds
    if (!/^-?\d+$/.test(text) || value < min || value > max)
      return this.fault(fallback, `${name} must be a whole number from ${min} to ${max}`)
    return value
  }

  /** A switch: 1, true, on, yes or 0, false, off, no. */
  bool(name: string, fallback: boolean): boolean {
    const text = this.optional(name)?.toLowerCase()
    if (text === undefined) return fallback
    if (['1', 'true', 'on', 'yes'].includes(text)) return true
    if (['0', 'false', 'off', 'no'].includes(text)) return false
    return this.fault(fallback, `${name} must be true or false`)
  }

  /** One of the values given. */
  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.optional(name)
    const value = values.find((candidate) => candidate === text)
    if (text === undefined || value !== undefined) return value ?? fallback
    return this.fault(fallback, `${name} must be one of ${values.join(', ')}`)
  }

  /** Comma-separated texts, trimmed, without empty ones; a fault for each that `isItem` rejects. */
  list(
    name: string,
    fallback: readonly string[],
    isItem: (item: string) => boolean = () => true,
  ): readonly string[] {
    const text = this.optional(name)
    if (text === undefined) return fallback
    const items = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    for (const item of items)
      if (!isItem(item)) this.fault('', `${name} has a malformed entry: ${item}`)
    return items.filter(isItem)
  }

  /** Adds a fault of settings that do not go together. */
  reject(sentence: string): void {
    this.faults.push(sentence)
  }

  /** The finished settings. Throws ConfigError when anything was wrong. */
  done<T>(config: T): T {
    if (this.faults.length > 0) throw new ConfigError(this.faults)
    return config
  }

  private read(name: string): string | undefined {
    const value = this.env[name]?.trim()
    return value === '' ? undefined : value
  }

  private fault<T>(value: T, sentence: string): T {
    this.faults.push(sentence)
    return value
  }
}
