import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Environment } from '../config/index.js';
import { safeError } from './safe-error.js';

/** Injection token of the process's pino logger, which stands behind Nest's own. */
export const ROOT_LOGGER = Symbol('ROOT_LOGGER');

/** Fields that must not stand in a log line even where a whole object is logged. */
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

/** JSON lines on standard output, written without blocking. @param stream for tests */
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
