import { addRoute, WINDOW } from '../test/stage/carrier.mjs';
import { benchChat, TEMPLATE_PATH, templateCampaign } from '../test/stage/chat.mjs';
import { contacts } from '../test/stage/client.mjs';
import { size } from '../test/stage/figures.mjs';
import { compare } from './results.mjs';
import { dispatchOnce, onStage, sendSms } from './stage.mjs';

const ROUNDS = size('DISPATCH_ROUNDS', 3);
const CONTACTS = size('DISPATCH_CONTACTS', 60_000);
const WARM_UP = 5_000;
const NOTE_ROUNDS = 5;
/** a place where no directory can be, so that a worker writes no submit log (docs/decisions/0015) */
const NOWHERE = '/dev/null/nowhere';

/** Messages a second with every status written, over a client that writes nothing. @param open gives what sends a campaign, and the client */
const dispatched = ({ open, overrides, name, peer, goal }) =>
  onStage(async (set, say) => {
    const api = await set.start('api');
    const { send, bare } = await open(set, await set.signInAt(api));
    await set.start('worker');
    const ours = async (total) => total / (await dispatchOnce(set.pool, total, () => send(total)));
    await ours(WARM_UP);
    const [way, port, ...further] = bare;
    const ways = {
      ours: () => ours(CONTACTS),
      [peer]: async () => CONTACTS / (await set.bare(way, port, CONTACTS, ...further)).seconds,
    };
    return [await compare(ways, { name, goal, unit: '/s', rounds: ROUNDS, say })];
  }, overrides);

/** SMS over SMPP. */
export const benchDispatch = dispatched({
  ...{ name: 'dispatch', peer: 'bare npm smpp', goal: 'at least 0.89' },
  async open(set, { admin, client }) {
    const carrier = await set.carrier();
    await addRoute(admin, carrier);
    return { send: (total) => sendSms(client, total), bare: ['submit', carrier.port, WINDOW] };
  },
});

/** Template messages by the chat driver. */
export const benchChatDispatch = dispatched({
  ...{ name: 'chat dispatch', peer: 'bare undici', goal: 'at least 0.52' },
  async open(set, { admin, client }) {
    const { port } = await (await set.script('bench/upstreams.mjs', 'chat')).next();
    await benchChat(admin, client, port);
    const send = (total) => client.call('POST', TEMPLATE_PATH, templateCampaign(contacts(total)));
    return { send, bare: ['chat', port, WINDOW] };
  },
});

/** Calls that play a text, approved at once. */
export const benchVoice = dispatched({
  ...{ name: 'calls created', peer: 'bare undici', goal: 'at least 0.6' },
  overrides: { VOICE_AUTO_APPROVE: 'true', VOICE_ALLOWED_PREFIXES: '*' },
  async open(set, { admin, client }) {
    const { port } = await (await set.script('bench/upstreams.mjs', 'calls')).next();
    const credits = { balance: 'voice_credits', amount: 1_000_000 };
    await admin.call('POST', '/v6/api/admin/accounts/bench/credits', credits);
    const config = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'bench-token', from: '918000000001' };
    await admin.call('PUT', '/v6/api/admin/routes/bench-voice', {
      ...{ channel: 'voice', driver: 'twilio', is_default: true },
      config: { ...config, base_url: `http://127.0.0.1:${port}` },
    });
    const campaign = { broadcast_name: 'bench', message: 'Hello from the benchmark' };
    const send = (total) => client.call('POST', '/v6/api/v1/voice/send', { ...campaign, contacts: contacts(total) });
    return { send, bare: ['calls', port, WINDOW] };
  },
});

/** What the log of submits costs: the same dispatch by a worker that writes it, and by one that cannot. */
export const benchNotes = onStage(async (set, say) => {
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addRoute(admin, await set.carrier());
  const rate = async (environment) => {
    const worker = await set.start('worker', environment);
    await dispatchOnce(set.pool, WARM_UP, () => sendSms(client, WARM_UP));
    const seconds = await dispatchOnce(set.pool, CONTACTS, () => sendSms(client, CONTACTS));
    await worker.stop();
    return CONTACTS / seconds;
  };
  const ways = { 'with its log': () => rate({}), without: () => rate({ DATA_DIR: NOWHERE }) };
  const row = { name: 'dispatch', goal: 'at least 0.97', unit: '/s', rounds: NOTE_ROUNDS, say };
  return [await compare(ways, row)];
});
