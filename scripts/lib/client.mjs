/** The TypeScript client (packages/client): what of it is made of docs/openapi.json, and its build. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './environment.mjs';
import { fingerprintOf } from './fingerprint.mjs';
import { run } from './processes.mjs';

const PACKAGE = join(ROOT, 'packages/client');
const NOTE = join(ROOT, 'node_modules/.cache/client-types');
const GENERATED = ['schema.ts', 'operations.ts'].map((name) => join(PACKAGE, 'src', name));

/** Methods, paths and ids of the operations, and which take an `Idempotency-Key`. */
function operationsOf(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters = [] }]) => {
      const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key');
      return `  ${operationId}: ['${method}', '${path}', ${hasKey}],`;
    }),
  );
  return `/** Made of docs/openapi.json. Method, path, and whether an Idempotency-Key is taken. */
export const OPERATIONS = {
${operations.sort().join('\n')}
} as const;
`;
}

/** Writes the types and the table of operations, when the document has changed. */
export async function ensureClientTypes() {
  const document = join(ROOT, 'docs/openapi.json');
  const mark = fingerprintOf([document, join(ROOT, 'package-lock.json'), join(ROOT, 'scripts/lib/client.mjs')]);
  if (GENERATED.every(existsSync) && existsSync(NOTE) && readFileSync(NOTE, 'utf8') === mark) return;
  rmSync(NOTE, { force: true });
  const generator = join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
  await run(process.execPath, [generator, document, '-o', GENERATED[0]], { cwd: ROOT, stdio: 'ignore' });
  writeFileSync(GENERATED[1], operationsOf(JSON.parse(readFileSync(document, 'utf8'))));
  mkdirSync(join(NOTE, '..'), { recursive: true });
  writeFileSync(NOTE, mark);
}

/** Builds the package into its `dist/`. */
export async function buildClient() {
  await ensureClientTypes();
  rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true });
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', PACKAGE], { cwd: ROOT });
}
