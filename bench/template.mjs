import { bareRows } from './bare-rows.mjs';
import { benchChat, TEMPLATE_PATH, templateCampaign } from './chat.mjs';
import { benchAccount, contacts, median, stage, timed, verdict } from './stage.mjs';

const ROUNDS = 15;
const CONTACTS = 30_000;

/** (e) One chatTemplate of 30,000 numbers, request to response, durably committed, over nothing but the insert of its rows. */
export async function benchTemplate(environment, say) {
  const set = await stage(environment);
  let rows;
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await benchChat(admin, client, 9);
    rows = await bareRows(set.environment.DATABASE_URL);
    const numbers = contacts(CONTACTS);
    const body = templateCampaign(numbers);
    const ours = [];
    const theirs = [];
    for (let round = -3; round < ROUNDS; round++) {
      const a = await timed(() => client.call('POST', TEMPLATE_PATH, body));
      const b = await timed(() => rows.insert(numbers));
      if (round < 0) continue;
      ours.push(a);
      theirs.push(b);
      say(`ours ${a.toFixed(0)} ms, bare insert ${b.toFixed(0)} ms`);
    }
    return [
      verdict(
        '(e) accept a template campaign of 30,000, ours / bare insert',
        median(ours.map((time, index) => time / theirs[index])),
        'at most 1.5',
        `ours ${median(ours).toFixed(0)} ms, bare ${median(theirs).toFixed(0)} ms`,
      ),
    ];
  } finally {
    await rows?.end();
    await set.close();
  }
}
