import { benchAccount, broadcast, contacts, median, signIn, stage, start, timed, verdict } from './stage.mjs';

/** contacts, rounds, and what was reached before the recipients had terms of their own */
const SIZES = [
  { contacts: 30_000, rounds: 15, goal: 'at most 0.95' },
  { contacts: 300_000, rounds: 5, goal: 'at most 1.06' },
];

/** (a) One broadcast, request to response, durably committed, over bare node:http + LOAD DATA. */
export async function benchAccept(environment, say) {
  const set = await stage(environment);
  let bare;
  try {
    const api = await set.api();
    await benchAccount(api.url);
    const { call } = await signIn(api.url, 'bench');
    bare = await start('bench/bare-accept.mjs', [], set.environment);
    const { port } = await bare.next();
    const lines = [];
    for (const { contacts: count, rounds, goal } of SIZES) {
      const body = broadcast(contacts(count));
      const ours = [];
      const theirs = [];
      for (let round = -3; round < rounds; round++) {
        const a = await timed(() => call('POST', '/webhook/api/addbroadcastgsm.php', body));
        const b = await timed(async () => (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json());
        if (round < 0) continue;
        ours.push(a);
        theirs.push(b);
        say(`${count} contacts: ours ${a.toFixed(0)} ms, bare ${b.toFixed(0)} ms`);
      }
      lines.push(
        verdict(
          `(a) accept ${count} contacts, ours / bare`,
          median(ours.map((time, index) => time / theirs[index])),
          goal,
          `ours ${median(ours).toFixed(0)} ms, bare ${median(theirs).toFixed(0)} ms`,
        ),
      );
    }
    return lines;
  } finally {
    await bare?.stop();
    await set.close();
  }
}
