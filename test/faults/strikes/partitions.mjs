import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/lib/environment.mjs';
import { cutOldDay, fillOldDay, tablesWithDay } from '../../stage/old-day.mjs';

const OLD_DAYS = 60;
const KEPT_DAYS = '30';
const CAMPAIGNS = 20;
const RECIPIENTS = 2_000;

export default {
  name: 'partition-dropped',
  shown: `a day of ${CAMPAIGNS * RECIPIENTS} old recipients goes meanwhile, as retention does it (\`npm run cli -- keep-tables\`)`,
  strict: true,
  spoils: true,
  // each look of the check at all recipients uses the table, the longer the more of them there are
  share: 0.25,
  async strike(scene, _seed, { say }) {
    const { pool } = scene;
    await cutOldDay(pool, OLD_DAYS);
    await fillOldDay(pool, OLD_DAYS, { username: 'asha', campaigns: CAMPAIGNS, recipients: RECIPIENTS });
    const [{ environment }] = scene.workers;
    const program = join(ROOT, 'dist/src/apps/cli/main.js');
    for (let left = await tablesWithDay(pool, OLD_DAYS), tries = 0; left.length > 0; tries++) {
      if (tries > 20) throw new Error(`The old day of ${left.join(', ')} is still there`);
      // it gives up after a second behind a transaction that has used the table, and comes again
      const options = { env: { PATH: process.env.PATH, ...environment, RETENTION_DAYS: KEPT_DAYS } };
      await promisify(execFile)(process.execPath, [program, 'keep-tables'], options).catch((error) =>
        say(error.stderr.trim()),
      );
      left = await tablesWithDay(pool, OLD_DAYS);
    }
    say('the old day is gone');
  },
};
