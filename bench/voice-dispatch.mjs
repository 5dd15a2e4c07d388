import { dispatchOnce } from './dispatch.mjs';
import { benchAccount, contacts, median, stage, start, verdict } from './stage.mjs';

const ROUNDS = 3;
const CALLS = 30_000;
/** what one worker has under way at once on a route over HTTP */
const AT_ONCE = 200;
/** an upstream at some distance */
const ANSWER_MS = 50;

const benchRoute = (admin, port) =>
  admin.call('PUT', '/v6/api/admin/routes/bench-voice', {
    channel: 'voice',
    driver: 'twilio',
    is_default: true,
    config: {
      account_sid: 'AC00000000000000000000000000000000',
      auth_token: 'bench-token',
      base_url: `http://127.0.0.1:${port}`,
      from: '918000000001',
    },
  });

/** A campaign that only plays a text, approved at once. */
const benchCalls = (client, total) => () =>
  client.call('POST', '/v6/api/v1/voice/send', {
    broadcast_name: 'bench',
    message: 'Hello from the benchmark',
    contacts: contacts(total),
  });

/** (g) Calls created a second through worker and driver with every status written, over a bare undici loop that writes nothing. */
export async function benchVoice(environment, say) {
  const set = await stage({ ...environment, VOICE_AUTO_APPROVE: 'true', VOICE_ALLOWED_PREFIXES: '*' });
  const network = await start('bench/telephone.mjs', [String(ANSWER_MS)], set.environment);
  try {
    const { port } = await network.next();
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await admin.call('POST', '/v6/api/admin/accounts/bench/credits', { balance: 'voice_credits', amount: 1_000_000 });
    await benchRoute(admin, port);
    await set.worker();
    await dispatchOnce(set.database, 2_000, benchCalls(client, 2_000));
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = CALLS / (await dispatchOnce(set.database, CALLS, benchCalls(client, CALLS)));
      const loop = await start('bench/bare-calls.mjs', [port, CALLS, AT_ONCE].map(String), set.environment);
      const bare = CALLS / (await loop.next()).seconds;
      rates.push([ours, bare]);
      say(`ours ${ours.toFixed(0)}/s, bare undici ${bare.toFixed(0)}/s`);
    }
    return [
      verdict(
        '(g) calls created, ours / bare undici',
        median(rates.map(([ours, bare]) => ours / bare)),
        'at least 0.6',
        `ours ${median(rates.map(([ours]) => ours)).toFixed(0)}/s, bare ${median(rates.map(([, bare]) => bare)).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await network.stop();
    await set.close();
  }
}
