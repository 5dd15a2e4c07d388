import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../../scripts/lib/environment.mjs';
import { prepare } from '../../stage/app.mjs';
import { until } from '../../stage/client.mjs';

const STAY_MS = [1_500, 3_000];
/** A balancer looks at `/health/ready` again and again; the next process goes only when this one has been seen. */
const SEEN_MS = 1_500;
/** Until a balancer has seen that a process is about to end. */
const SHUTDOWN_DELAY = '3s';

const isReady = ({ url }) =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** The processes that are not of this version become so, or the other way round: one after another, as a rolling restart goes. */
async function become(apps, root) {
  for (const app of apps.filter((candidate) => candidate.root !== root)) {
    await app.end();
    app.root = root;
    await app.start();
    await until(() => isReady(app), Boolean, { withinMs: 60_000 });
    await sleep(SEEN_MS);
  }
}

export default {
  name: 'rolling-upgrade',
  shown:
    'from the last version to this one and back, under traffic: migrations beside it, then every mixture of API and worker',
  /** All of the last version, on its own tables. */
  async open(environment) {
    const [{ openStage }, { formerVersion }] = await Promise.all([
      import('../../stage/stage.mjs'),
      import('../../stage/former.mjs'),
    ]);
    return openStage({
      name: 'faults',
      apis: 2,
      workers: 2,
      environment: { ...environment, SHUTDOWN_DELAY },
      root: await formerVersion(),
    });
  },
  strict: true,
  spoils: true,
  holdMs: [1_000, 2_000],
  // a dozen restarts take their time, and traffic goes on all the while
  share: 0.25,
  withinMs: 300_000,
  async strike(scene, seed, { say }) {
    const { apis, workers } = scene;
    const before = apis[0].root;
    const stay = () => sleep(seed.between(...STAY_MS));
    say('migrates beside the last version');
    await prepare({ ...scene.environment, DATABASE_URL: scene.database.url, REDIS_URL: scene.redis.url });
    await stay();
    const steps = [
      ['new APIs, workers of before', apis, ROOT],
      ['all new', workers, ROOT],
      ['APIs of before, new workers', apis, before],
      ['all of before, on the new tables', workers, before],
      ['new workers, APIs of before', workers, ROOT],
      ['all new', apis, ROOT],
    ];
    for (const [what, apps, root] of steps) {
      await become(apps, root);
      say(what);
      await stay();
    }
  },
};
