import 'reflect-metadata';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { collectStartGarbage } from '../../platform/observability/index.js';
import { startSandbox } from './start-sandbox.js';

// Prints one JSON line with its addresses when it is ready.
async function main(): Promise<void> {
  const environment = readEnvironment();
  if (environment.NODE_ENV === 'production') {
    throw new InvalidEnvironment('The sandbox plays carriers: it does not start with NODE_ENV=production');
  }
  const sandbox = await startSandbox({ http: environment.SANDBOX_PORT, smpp: environment.SANDBOX_SMPP_PORT });
  const stop = (): void => void sandbox.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ ready: 'sandbox', url: sandbox.url, smppPort: sandbox.smppPort })}\n`);
  collectStartGarbage();
}

main().catch((error: unknown) => {
  const text =
    error instanceof InvalidEnvironment ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text ?? 'failed'}\n`);
  process.exit(1);
});
