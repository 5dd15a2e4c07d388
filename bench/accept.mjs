import { benchChat, TEMPLATE_PATH, templateCampaign } from '../test/stage/chat.mjs';
import { broadcast, contacts } from '../test/stage/client.mjs';
import { size, timed } from '../test/stage/figures.mjs';
import { compare } from './results.mjs';
import { onStage, SMS_PATH } from './stage.mjs';

const ROUNDS = size('ACCEPT_ROUNDS', 15);
const WARM_UPS = 3;

/** One campaign, request to response, durably committed, over bare node:http + LOAD DATA: SMS, and template messages. */
export const benchAccept = onStage(async (set, say) => {
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await benchChat(admin, client, 9);
  const { port } = await set.bare('accept');
  const campaigns = [
    { name: 'accept 30,000 contacts', path: SMS_PATH, body: broadcast(contacts(30_000)), goal: 'at most 1.1' },
    { name: 'accept 300,000 contacts', path: SMS_PATH, body: broadcast(contacts(300_000)), goal: 'at most 1.06' },
    {
      ...{ name: 'accept 30,000 template messages', goal: 'at most 1.5' },
      ...{ path: TEMPLATE_PATH, body: templateCampaign(contacts(30_000)) },
    },
  ];
  const lines = [];
  for (const { path, body, ...row } of campaigns) {
    const ways = {
      ours: () => timed(() => client.call('POST', path, body)),
      bare: () => timed(async () => (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json()),
    };
    lines.push(await compare(ways, { ...row, unit: 'ms', rounds: ROUNDS, warmUps: WARM_UPS, say }));
  }
  return lines;
});
