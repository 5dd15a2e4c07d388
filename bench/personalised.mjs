import { Agent, request } from 'node:http';
import { addRoute, startCarrier } from './carrier.mjs';
import { benchBroadcast, dispatchOnce } from './dispatch.mjs';
import { benchAccount, broadcast, contacts, median, peakMemory, stage, timed, verdict } from './stage.mjs';

const ROUNDS = 30;
const RECIPIENTS = 100_000;
const DISPATCH_ROUNDS = 3;
const DISPATCHED = 60_000;

/** As `broadcast`, with a name and a city of each recipient in a text of about the same length. */
const personalised = (numbers, route) =>
  JSON.stringify({
    channel: 'sms',
    broadcast_name: 'bench',
    message: 'Hello {{name|you}} of {{city}}',
    route,
    recipients: numbers.map((to, index) => ({
      to,
      variables: { name: `Person ${index}`, city: `City ${index % 500}` },
    })),
  });

/** The same request for a text that is the same for all. */
const plainCampaign = (numbers, route) =>
  JSON.stringify({
    channel: 'sms',
    broadcast_name: 'bench',
    message: 'Hello Person 12345 of City 123',
    route,
    contacts: numbers,
  });

const agent = new Agent({ keepAlive: true });

/** Sends a body and takes the answer, in half the time that `fetch` spends on a large one: that is not the service's. */
const sent = (url, token, path, body) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sending = request(url + path, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode < 300) resolve();
        else reject(new Error(`POST ${path}: ${response.statusCode}`));
      });
    });
    sending.on('error', reject).end(body);
  });

/** Sends whose recipients have texts of their own, beside plain ones of the same run: accepted, and dispatched. */
export async function benchPersonalised(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment);
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier);
    const later = { schedule_time: '2099-01-01T00:00:00Z' };
    const kinds = [
      ['/v6/api/campaigns', personalised(contacts(RECIPIENTS), 'sandbox')],
      ['/v6/api/campaigns', plainCampaign(contacts(RECIPIENTS), 'sandbox')],
      ['/webhook/api/addbroadcastgsm.php', broadcast(contacts(RECIPIENTS))],
    ].map(([path, body]) => [path, Buffer.from(JSON.stringify({ ...JSON.parse(body), ...later }))]);
    const accepted = [];
    for (let round = -1; round < ROUNDS; round++) {
      const times = [];
      // each begins in turn: what one leaves to be written is written beside the next
      for (let place = 0; place < kinds.length; place++) {
        const kind = (place + Math.max(0, round)) % kinds.length;
        const [path, body] = kinds[kind];
        times[kind] = await timed(() => sent(api.url, client.token, path, body));
      }
      if (round < 0) continue;
      accepted.push(times);
      const [ownMs, plainMs, legacyMs] = times.map((ms) => ms.toFixed(0));
      say(`accept of ${RECIPIENTS}: personalised ${ownMs} ms, plain ${plainMs} ms, by the legacy route ${legacyMs} ms`);
    }
    const peak = peakMemory(api.pid);
    await set.worker();
    const send = async () =>
      (await client.call('POST', '/v6/api/campaigns', personalised(contacts(DISPATCHED), 'bench'))).data;
    await dispatchOnce(set.database, 5_000, benchBroadcast(client, 5_000));
    const dispatched = [];
    for (let round = 0; round < DISPATCH_ROUNDS; round++) {
      const plain = DISPATCHED / (await dispatchOnce(set.database, DISPATCHED, benchBroadcast(client, DISPATCHED)));
      const own = DISPATCHED / (await dispatchOnce(set.database, DISPATCHED, send));
      dispatched.push([own, plain]);
      say(`dispatch: personalised ${own.toFixed(0)}/s, plain ${plain.toFixed(0)}/s`);
    }
    const ratio = (rows, at = 1) => median(rows.map((row) => row[0] / row[at]));
    const medians = (rows) => rows[0].map((_, at) => median(rows.map((row) => row[at])).toFixed(0));
    const [ownMs, plainMs, legacyMs] = medians(accepted);
    const [ownRate, plainRate] = medians(dispatched);
    return [
      verdict(
        `accept ${RECIPIENTS} personalised / plain`,
        ratio(accepted),
        'at most 1.5',
        `${ownMs} ms, ${plainMs} ms`,
      ),
      verdict(
        `accept ${RECIPIENTS} personalised / plain by the legacy route`,
        ratio(accepted, 2),
        'at most 1.5',
        `${ownMs} ms, ${legacyMs} ms`,
      ),
      verdict('dispatch personalised / plain', ratio(dispatched), 'at least 0.8', `${ownRate}/s, ${plainRate}/s`),
      verdict('peak memory of the API, MB', peak, 'at most 400', `accepting ${RECIPIENTS} personalised`),
    ];
  } finally {
    await carrier.stop();
    await set.close();
  }
}
