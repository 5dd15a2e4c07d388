/** Writes docs/openapi.json and docs/generated/errors.md from the built API, without a database or a port. `npm test` fails when it is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './lib/build.mjs';
import { ROOT } from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { say } from './lib/progress.mjs';

await ensureInstalled({ development: false });
await ensureBuilt();
const { writtenDocuments } = await import(pathToFileURL(join(ROOT, 'dist/src/apps/api/document.js')).href);
mkdirSync(join(ROOT, 'docs/generated'), { recursive: true });
const { openApi, errors } = await writtenDocuments();
writeFileSync(join(ROOT, 'docs/openapi.json'), `${JSON.stringify(openApi, null, 2)}\n`);
writeFileSync(join(ROOT, 'docs/generated/errors.md'), errors);
say('Wrote docs/openapi.json and docs/generated/errors.md');
