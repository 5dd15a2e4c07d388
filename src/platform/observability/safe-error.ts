const MAX_FRAMES = 12;

/**
 * An error as logs may hold it: never its SQL, its parameters or a request's fields. Quoted parts of a database's
 * message are values of rows, so they are blanked.
 */
export function safeError(error: unknown): Record<string, unknown> {
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
  };
}
