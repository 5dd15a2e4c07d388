/** Builds packages/client, as `npm pack` and `npm publish` do. */
import { buildClient } from './lib/client.mjs';
import { ensureInstalled } from './lib/install.mjs';

await ensureInstalled();
await buildClient();
