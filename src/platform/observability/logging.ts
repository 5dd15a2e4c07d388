import { destination, type DestinationStream, type Logger, pino } from 'pino';
import type { Environment } from '../config/index.js';

const MAX_FRAMES = 12;
const MAX_CAUSES = 3;

/** Results of `safeError`: callers and the logger's serializer both apply it. */
const safe = new WeakSet<object>();

/** An error for logs: no SQL, parameters or request fields; quoted parts of database messages (row values) are blanked. */
export function safeError(error: unknown, causes = MAX_CAUSES): Record<string, unknown> {
  if (typeof error === 'object' && error !== null && safe.has(error)) return error as Record<string, unknown>;
  const made = describe(error, causes);
  safe.add(made);
  return made;
}

function describe(error: unknown, causes: number): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const fault = error as Error & { code?: unknown; errno?: unknown; driverError?: unknown };
  const fromDatabase = fault.driverError !== undefined || String(fault.code).startsWith('ER_');
  const message = fromDatabase ? error.message.replace(/'[^']*'/g, "'…'").slice(0, 300) : error.message;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message,
    ...(fault.code === undefined ? {} : { code: fault.code }),
    ...(fault.errno === undefined ? {} : { errno: fault.errno }),
    stack: frames.slice(0, MAX_FRAMES).join('\n'),
    ...(error.cause === undefined || causes === 0 ? {} : { cause: safeError(error.cause, causes - 1) }),
  };
}

/** Injection token of the process's pino logger, used by Nest's logger. */
export const ROOT_LOGGER = Symbol('ROOT_LOGGER');

/** Fields redacted even when a whole object is logged. */
const SECRET_FIELDS = [
  'password',
  'password_confirmation',
  'token',
  'secret',
  'authorization',
  'cookie',
  'parameters',
  'query',
];

/** JSON lines on standard output, non-blocking. @param stream for tests */
export function createLogger(environment: Pick<Environment, 'LOG_LEVEL'>, stream?: DestinationStream): Logger {
  return pino(
    {
      level: environment.LOG_LEVEL,
      base: null,
      serializers: { err: (error) => safeError(error), error: (error) => safeError(error) },
      redact: { paths: [...SECRET_FIELDS, ...SECRET_FIELDS.map((field) => `*.${field}`)], censor: '***' },
    },
    stream ?? destination({ fd: 1, sync: false }),
  );
}
