import { Agent, request } from 'node:http';
import { addRoute } from '../test/stage/carrier.mjs';
import { broadcast, contacts } from '../test/stage/client.mjs';
import { megabytes, size, timed } from '../test/stage/figures.mjs';
import { compare, inTurn, ratio, verdict } from './results.mjs';
import { dispatchOnce, onStage, sendSms, SMS_PATH } from './stage.mjs';

const ROUNDS = size('PERSONALISED_ROUNDS', 30);
const RECIPIENTS = 100_000;
const DISPATCH_ROUNDS = 3;
const DISPATCHED = 60_000;
const WARM_UP = 5_000;
const PATH = '/v6/api/campaigns';
const LATER = '2099-01-01T00:00:00Z';

/** As `broadcast`, with a name and a city of each recipient in a text of about the same length. */
const personalised = (total, route) => ({
  ...{ channel: 'sms', broadcast_name: 'bench', message: 'Hello {{name|you}} of {{city}}', route },
  recipients: contacts(total).map((to, index) => ({
    to,
    variables: { name: `Person ${index}`, city: `City ${index % 500}` },
  })),
});

/** The same request for a text that is the same for all. */
const plain = (total, route) => ({
  ...{ channel: 'sms', broadcast_name: 'bench', message: 'Hello Person 12345 of City 123', route },
  contacts: contacts(total),
});

const agent = new Agent({ keepAlive: true });

/** Sends a body and takes the answer, in half the time that `fetch` spends on a large one: that is not the service's. */
const sent = (url, token, body) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sending = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode < 300) resolve();
        else reject(new Error(`POST ${url}: ${response.statusCode}`));
      });
    });
    sending.on('error', reject).end(body);
  });

/** Sends whose recipients have texts of their own, beside plain ones of the same run: accepted, and dispatched. */
export const benchPersonalised = onStage(async (set, say) => {
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addRoute(admin, await set.carrier());
  const accept = (path, body) => {
    const encoded = Buffer.from(JSON.stringify({ ...body, schedule_time: LATER }));
    return () => timed(() => sent(api.url + path, client.token, encoded));
  };
  const ways = {
    personalised: accept(PATH, personalised(RECIPIENTS, 'sandbox')),
    plain: accept(PATH, plain(RECIPIENTS, 'sandbox')),
    'by the legacy route': accept(SMS_PATH, JSON.parse(broadcast(contacts(RECIPIENTS)))),
  };
  const row = { name: `accept ${RECIPIENTS}`, goal: 'at most 1.5', unit: 'ms' };
  const accepted = await inTurn(ways, { ...row, rounds: ROUNDS, warmUps: 1, say, of: row.name });
  const peak = megabytes(api.pid, 'VmHWM');
  await set.start('worker');
  const rate = async (send) => DISPATCHED / (await dispatchOnce(set.pool, DISPATCHED, send));
  await dispatchOnce(set.pool, WARM_UP, () => sendSms(client, WARM_UP));
  const dispatch = {
    personalised: () => rate(async () => (await client.call('POST', PATH, personalised(DISPATCHED, 'bench'))).data),
    plain: () => rate(() => sendSms(client, DISPATCHED)),
  };
  return [
    ratio(accepted, ['personalised', 'plain'], row),
    ratio(accepted, ['personalised', 'by the legacy route'], row),
    await compare(dispatch, { name: 'dispatch', goal: 'at least 0.8', unit: '/s', rounds: DISPATCH_ROUNDS, say }),
    verdict('peak memory of the API, MB', peak, 'at most 400', `accepting ${RECIPIENTS} personalised`),
  ];
});
