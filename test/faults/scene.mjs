import { once } from 'node:events';
import { createServer } from 'node:http';
import { openAccount, PASSWORD, signIn, until } from '../stage/client.mjs';
import { openStage } from '../stage/stage.mjs';
import { Way } from '../stage/way.mjs';
import { Gateway } from './carriers/gateway.mjs';
import { Graph } from './carriers/graph.mjs';
import { Smsc } from './carriers/smsc.mjs';
import { ACCOUNT_SID, AUTH_TOKEN, Telephone } from './carriers/telephone.mjs';
import { Customer } from './customer.mjs';
import { balancesOf } from './invariants/snapshot.mjs';

export const ACCOUNTS = ['asha', 'bela', 'chan', 'dora', 'emil'];
export const BALANCES = [
  ...['bulk_chat_credits', 'gsm_credits', 'voice_credits'],
  ...['chat_marketing_credits', 'chat_utility_credits', 'chat_auth_credits'],
];
const CREDITS = 1_000_000;
/** Messages of a second on the route that is paced, so that a campaign is under way when something strikes. */
const PACE = 150;
export const SETTINGS = {
  VOICE_AUTO_APPROVE: 'true',
  VOICE_ALLOWED_PREFIXES: '*',
  RECEIPT_TIMEOUT: '72h',
  LANE_LEASE: '2s',
  WEBHOOK_LEASE: '2s',
  WEBHOOK_TIMEOUT: '2s',
  WEBHOOK_CONCURRENCY: '16',
  WEBHOOK_RETRY_DELAYS: Array(100).fill('1s').join(),
  DATABASE_QUERY_TIMEOUT: '5s',
  DATABASE_POOL_WAIT: '5s',
};
const EVENTS = ['gsm.status.update', 'voice.status.update', 'chat.status.update', 'campaign.completed'];

/** Half a second of silence as a WAV, for calls. */
function silence() {
  const data = Buffer.alloc(8_000);
  const head = Buffer.from(
    'RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data....',
    'latin1',
  );
  head.writeUInt32LE(36 + data.length, 4);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** A customer's server of audio. @returns the address of a clip */
async function serveAudio(stage) {
  const clip = silence();
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(clip));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/clip.wav`;
}

/** Carriers and customers with their ways, before the service is there. */
async function openWorld(stage, seed) {
  const carriers = {
    smsc: await Smsc.open(seed.of('smsc')),
    gateway: await Gateway.open(seed.of('gateway')),
    exact: await Gateway.open(seed.of('exact'), { name: 'exact', deduplicates: true }),
    graph: await Graph.open(seed.of('graph')),
    telephone: await Telephone.open(seed.of('telephone')),
  };
  const customers = {};
  for (const name of ACCOUNTS) customers[name] = await Customer.open(name);
  for (const other of [...Object.values(carriers), ...Object.values(customers)]) {
    stage.onEnd(() => other.close());
    other.way = await stage.way(other);
  }
  Object.assign(stage, { carriers, customers, audioUrl: await serveAudio(stage) });
}

/** Routes of the installation, and their callbacks. */
async function addRoutes(admin, { smsc, gateway, exact, telephone }) {
  const put = (name, body) => admin.call('PUT', `/v6/api/admin/routes/${name}`, body);
  const smpp = (systemId) => ({
    ...{ host: '127.0.0.1', port: smsc.way.port, system_id: systemId, password: 'faults', window: 50 },
    ...{ submit_timeout_ms: 3_000, enquire_link_ms: 2_000 },
  });
  const sms = { channel: 'sms', driver: 'smpp' };
  await put('sms', { ...sms, config: smpp('usual'), is_default: true });
  await put('paced', { ...sms, config: smpp('paced'), messages_per_second: PACE });
  await put('exact', { channel: 'sms', driver: 'http', config: exact.config(exact.way.port) });
  await put('chat', {
    channel: 'unofficial',
    driver: 'http',
    config: gateway.config(gateway.way.port),
    is_default: true,
  });
  const voice = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN, from: '918000000000', timeout_ms: 3_000 };
  const config = { ...voice, base_url: `http://127.0.0.1:${telephone.way.port}` };
  await put('calls', { channel: 'voice', driver: 'twilio', config, is_default: true });
  const { data } = await admin.call('GET', '/v6/api/admin/routes');
  const callback = (name) => data.find((route) => route.name === name).callback_url;
  gateway.callbackUrl = callback('chat');
  exact.callbackUrl = callback('exact');
}

/** An account that can send over every channel, and listens. */
async function addMember(url, admin, { graph }, customer, place) {
  const username = customer.name;
  const member = await openAccount(url, admin, username, Object.fromEntries(BALANCES.map((name) => [name, CREDITS])));
  const numberId = String(700_000_000 + place);
  const connection = {
    ...{ channel: 'official', provider: 'meta_cloud', number: '15550001111', token: 'token-of-the-network' },
    ...{
      url: `http://127.0.0.1:${graph.way.port}/v21.0/${numberId}`,
      app_secret: `secret-${username}`,
      verify_token: 'verify',
    },
  };
  const { data } = await admin.call('PUT', `/v6/api/admin/chat-accounts/${username}`, connection);
  graph.customers.set(numberId, { callbackUrl: data.callback_url, appSecret: connection.app_secret });
  const template = { template_name: 'order', category: 'utility', template_body: 'Hello {{1}}, your order is ready' };
  const { template_id: id } = await member.call('POST', '/webhook/api/createTemplates.php', template);
  await admin.call('POST', `/v6/api/admin/templates/${id}/approve`, {});
  const webhook = { url: `http://127.0.0.1:${customer.way.port}/hook`, events: EVENTS };
  await member.call('POST', '/v6/api/webhooks', webhook);
  return { username, token: member.token, numberId };
}

const usualStage = (environment) => openStage({ name: 'faults', apis: 2, workers: 2, environment });

/**
 * The stage of the fault tests: two APIs, two workers, carriers of every kind, five accounts with webhooks. Beside what every
 * stage has: `carriers`, `customers`, `members`, `front` (the way that carriers know us by), `admin`, `granted` (each balance before
 * anything was sent).
 * @param {(environment: Record<string, string>) => Promise<object>} open starts APIs and workers on a stage, with these variables
 */
export async function openScene(seed, open = usualStage) {
  let scene;
  let turn = 0;
  const living = () => scene.apis.filter((api) => api.isAlive);
  const front = await Way.open(() => ({
    port: Number(new URL((living()[turn++ % living().length] ?? scene.apis[0]).url).port),
  }));
  try {
    scene = await open({ ...SETTINGS, PUBLIC_URL: `http://127.0.0.1:${front.port}` });
  } catch (error) {
    await front.close();
    throw error;
  }
  try {
    scene.front = front;
    scene.onEnd(() => front.close());
    await openWorld(scene, seed);
    const [{ url }] = scene.apis;
    scene.admin = await signIn(url, 'admin', PASSWORD);
    await addRoutes(scene.admin, scene.carriers);
    scene.members = [];
    for (const [place, customer] of Object.values(scene.customers).entries()) {
      scene.members.push(await addMember(url, scene.admin, scene.carriers, customer, place));
    }
    scene.granted = await balancesOf(scene.pool);
    await until(
      () => scene.carriers.smsc.binds,
      (binds) => binds >= 4,
      { withinMs: 30_000 },
    );
    return scene;
  } catch (error) {
    await scene.close();
    throw error;
  }
}
