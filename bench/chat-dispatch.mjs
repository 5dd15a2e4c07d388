import { benchChat, TEMPLATE_PATH, templateCampaign } from './chat.mjs';
import { dispatchOnce } from './dispatch.mjs';
import { benchAccount, contacts, median, stage, start, verdict } from './stage.mjs';

const ROUNDS = 3;
const CONTACTS = 30_000;
/** As many as one connection of ours sends at once. */
const AT_ONCE = 200;

/** (f) Template messages a second through worker and chat driver with every status written, over a bare undici pool that writes nothing. */
export async function benchChatDispatch(environment, say) {
  const set = await stage(environment);
  const upstream = await start('bench/graph.mjs', [], set.environment);
  try {
    const { port } = await upstream.next();
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await benchChat(admin, client, port);
    await set.worker();
    const dispatch = (total) =>
      dispatchOnce(set.database, total, () => client.call('POST', TEMPLATE_PATH, templateCampaign(contacts(total))));
    await dispatch(5_000);
    const ratios = [];
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = CONTACTS / (await dispatch(CONTACTS));
      const pool = await start('bench/bare-chat.mjs', [port, CONTACTS, AT_ONCE].map(String), set.environment);
      const bare = CONTACTS / (await pool.next()).seconds;
      ratios.push(ours / bare);
      rates.push([ours, bare]);
      say(`ours ${ours.toFixed(0)}/s, bare undici ${bare.toFixed(0)}/s`);
    }
    return [
      verdict(
        '(f) chat dispatch, ours / bare undici',
        median(ratios),
        'at least 0.52',
        `ours ${median(rates.map(([a]) => a)).toFixed(0)}/s, bare ${median(rates.map(([, b]) => b)).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await upstream.stop();
    await set.close();
  }
}
