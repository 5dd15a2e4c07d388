import { benchAccount, broadcast, contacts, median, signIn, stage, start, verdict } from './stage.mjs';

const ROUNDS = 15;
const CONTACTS = 30_000;

/** (a) One broadcast of 30,000 contacts, request to response, durably committed, over bare node:http + LOAD DATA. */
export async function benchAccept(environment, say) {
  const set = await stage(environment);
  let bare;
  try {
    const api = await set.api();
    await benchAccount(api.url);
    const { call } = await signIn(api.url, 'bench');
    bare = await start('bench/bare-accept.mjs', [], set.environment);
    const { port } = await bare.next();
    const body = broadcast(contacts(CONTACTS));
    const timed = async (work) => {
      const started = performance.now();
      await work();
      return performance.now() - started;
    };
    const ours = [];
    const theirs = [];
    for (let round = -3; round < ROUNDS; round++) {
      const a = await timed(() => call('POST', '/webhook/api/addbroadcastgsm.php', body));
      const b = await timed(async () => (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json());
      if (round < 0) continue;
      ours.push(a);
      theirs.push(b);
      say(`ours ${a.toFixed(0)} ms, bare ${b.toFixed(0)} ms`);
    }
    const ratio = median(ours.map((time, index) => time / theirs[index]));
    return [
      verdict(
        '(a) accept 30,000 contacts, ours / bare',
        ratio,
        'at most 1.3',
        `ours ${median(ours).toFixed(0)} ms, bare ${median(theirs).toFixed(0)} ms`,
      ),
    ];
  } finally {
    await bare?.stop();
    await set.close();
  }
}
