/** Writes docs/openapi.json from the compiled API, without a database or a port. `npm test` fails when it is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './lib/build.mjs';
import { ROOT } from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { say } from './lib/progress.mjs';

await ensureInstalled();
await ensureBuilt();
const load = (file) => import(pathToFileURL(join(ROOT, file)).href);
await load('node_modules/reflect-metadata/Reflect.js');
const { NestFactory } = await load('node_modules/@nestjs/core/index.js');
const { ApiModule } = await load('dist/src/apps/api/api.module.js');
const { createOpenApiDocument } = await load('dist/src/apps/api/openapi.js');
const app = await NestFactory.create(ApiModule, { preview: true, logger: false, abortOnError: false });
mkdirSync(join(ROOT, 'docs'), { recursive: true });
writeFileSync(join(ROOT, 'docs/openapi.json'), `${JSON.stringify(createOpenApiDocument(app), null, 2)}\n`);
say('Wrote docs/openapi.json');
