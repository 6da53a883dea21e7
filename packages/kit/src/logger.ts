import { context, isSpanContextValid, trace } from '@opentelemetry/api'
import pino, { type LogFn, type Logger as PinoLogger, type LoggerOptions } from 'pino'
import { LogLimit } from './log-limit'
import { standardOutput } from './log-output'

/** Writes JSON lines; objects first, message second. */
export type Logger = PinoLogger

/** Fields that are redacted at the top two levels of a logged object, in case one is logged by mistake. */
const secrets = [
  'authorization',
  'cookie',
  'key',
  'apiKey',
  'api_key',
  'token',
  'password',
  'secret',
  'serviceKey',
]
const redact = {
  paths: secrets.flatMap((name) => [name, `*.${name}`]),
  censor: '[redacted]',
}

/** Adds the ids of the active span, so that lines and traces can be correlated. */
function traceIds(): Record<string, string> {
  const span = trace.getSpanContext(context.active())
  return span && isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : {}
}

const WARN = 40
/** Fatal lines are never left out. */
const FATAL = 60

/** Limits repeated warnings and errors (see `LogLimit`); other lines are written as they come. */
export function limitRepetition(limit: LogLimit): LoggerOptions['hooks'] {
  return {
    logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn, level: number): void {
      if (level < WARN || level >= FATAL) write.apply(this, args)
      else limit.write(args, (...given) => write.apply(this, given))
    },
  }
}

/**
 * A logger for one process; `child` makes one per subsystem. The level comes from SHEAF_LOG_LEVEL (default info).
 * Warnings and errors that repeat are limited in number.
 */
export function createLogger(name: string): Logger {
  const hooks = limitRepetition(new LogLimit())
  return pino({ ...optionsOf(name), redact, hooks }, standardOutput().lines)
}

/**
 * A logger for one line per request, whose fields are always the same and never hold a secret: looking for secrets and
 * for repetitions would take as long as a tenth of a small request.
 */
export function createRequestLogger(name: string): Logger {
  return pino(optionsOf(name), standardOutput().groups)
}

function optionsOf(name: string): LoggerOptions {
  return {
    level: process.env.SHEAF_LOG_LEVEL ?? 'info',
    mixin: traceIds,
    base: { service: name },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
}
