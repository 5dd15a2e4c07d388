/** `npm run build`: the applications, into `dist/`; nothing when the sources are unchanged. */
import { ensureBuilt } from './lib/build.mjs';
import { complain } from './lib/progress.mjs';

await ensureBuilt().catch((error) => {
  complain(error);
  process.exitCode = 1;
});
