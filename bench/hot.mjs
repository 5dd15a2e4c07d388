import autocannon from 'autocannon';
import { benchAccount, broadcast, freePort, median, signIn, stage, verdict } from './stage.mjs';

const ROUNDS = 4;
const SECONDS = 6;

/** (c) Single-contact broadcasts at 64 connections on one account, over the same Nest route whose engine answers a constant. */
export async function benchHot(environment, say) {
  const set = await stage(environment);
  try {
    const api = await set.api();
    await benchAccount(api.url);
    const { token } = await signIn(api.url, 'bench');
    const port = await freePort();
    set.environment.PORT = String(port);
    const constant = await set.run('bench/constant-api.mjs', port);
    const body = broadcast(['919000000001']);
    const load = async (url, seconds = SECONDS) => {
      const result = await autocannon({
        url: `${url}/webhook/api/addbroadcastgsm.php`,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body,
        connections: 64,
        duration: seconds,
      });
      if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
      return result.requests.average;
    };
    await load(api.url, 2);
    await load(constant.url, 2);
    const ratios = [];
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = await load(api.url);
      const bare = await load(constant.url);
      ratios.push(ours / bare);
      rates.push([ours, bare]);
      say(`ours ${ours.toFixed(0)}/s, engine as a constant ${bare.toFixed(0)}/s`);
    }
    return [
      verdict(
        '(c) single-contact broadcasts, ours / constant engine',
        median(ratios),
        'at least 0.4',
        `ours ${median(rates.map(([a]) => a)).toFixed(0)}/s, constant ${median(rates.map(([, b]) => b)).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await set.close();
  }
}
