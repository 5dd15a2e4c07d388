import { JwtService } from '@nestjs/jwt';
import autocannon from 'autocannon';
import { addAccounts, usernameOf } from '../test/stage/accounts.mjs';
import { broadcast } from '../test/stage/client.mjs';
import { processorSeconds, size } from '../test/stage/figures.mjs';
import { ratio } from './results.mjs';
import { onStage, SMS_PATH } from './stage.mjs';

const ROUNDS = size('HOT_ROUNDS', 4);
const SECONDS = size('HOT_SECONDS', 6);
const WARM_UP_SECONDS = 2;
const CONNECTIONS = 64;
const ACCOUNTS = 1_000;
const WEEK_SECONDS = 604_800;

/** A token of each account, as a login would give it. */
export function tokensOf(ids, secret) {
  const jwt = new JwtService({ secret });
  const iat = Math.floor(Date.now() / 1000);
  return ids.map((id, index) => {
    const username = usernameOf(index + 1);
    const data = { id, name: username, username, email: null, mobile: null };
    return jwt.sign({ iat, exp: iat + WEEK_SECONDS, iss: 'switchboard', sub: String(id), data });
  });
}

/** Requests of one recipient each by these accounts for some seconds. @returns how many a second, and what each cost the process, µs */
export async function load({ url, pid }, { tokens, headers = {}, numbers = ['919000000001'] }, seconds = SECONDS) {
  const requests = (bearer) =>
    numbers.map((number) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, ...headers },
      body: broadcast([number]),
    }));
  let connection = 0;
  const before = processorSeconds(pid);
  const result = await autocannon({
    url: url + SMS_PATH,
    connections: CONNECTIONS,
    duration: seconds,
    // a new id instead of each [<id>]
    idReplacement: Object.keys(headers).length > 0,
    // Each connection has its part of the accounts: all of them on each would be 64,000 requests, which take the generator
    // a tenth of the measured time to make.
    setupClient: (client) => {
      const first = Math.floor((connection++ * tokens.length) / CONNECTIONS);
      const end = Math.max(first + 1, Math.floor((connection * tokens.length) / CONNECTIONS));
      client.setRequests(tokens.slice(first, end).flatMap(requests));
    },
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
  return { rate: result.requests.average, cost: ((processorSeconds(pid) - before) * 1e6) / result.requests.total };
}

/**
 * Broadcasts of one contact at 64 connections, on one account, over 1,000, and each with a key, beside a Nest application that is
 * furnished as ours and answers a constant.
 */
export const benchHot = onStage(async (set, say) => {
  const api = await set.start('api');
  const { client } = await set.signInAt(api);
  const many = tokensOf(await addAccounts(set.pool, ACCOUNTS), set.environment.JWT_SECRET);
  const furnished = await set.start('furnished', {}, { program: 'bench/furnished-nest.mjs' });
  const senders = {
    'one account': { tokens: [client.token], goal: 'at least 1' },
    '1,000 accounts': { tokens: many, goal: 'at least 1' },
    '1,000 accounts, each with a key': {
      ...{ tokens: many, goal: 'at least 0.9', headers: { 'idempotency-key': '[<id>]' } },
    },
  };
  const lines = [];
  for (const [name, sender] of Object.entries(senders)) {
    for (const app of [api, furnished]) await load(app, sender, WARM_UP_SECONDS);
    const rates = [];
    const costs = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [ours, theirs] = [await load(api, sender), await load(furnished, sender)];
      rates.push({ ours: ours.rate, 'furnished Nest': theirs.rate });
      costs.push({ ours: ours.cost, 'furnished Nest': theirs.cost });
      say(
        `${name}: ours ${ours.rate.toFixed(0)}/s, ${ours.cost.toFixed(0)} µs each; furnished Nest ${theirs.rate.toFixed(0)}/s, ${theirs.cost.toFixed(0)} µs`,
      );
    }
    const ways = ['ours', 'furnished Nest'];
    lines.push(ratio(rates, ways, { name: `accepts of ${name}`, goal: sender.goal, unit: '/s' }));
    lines.push(ratio(costs, ways, { name: `processor time of the API, ${name}`, goal: 'none', unit: 'µs' }));
  }
  return lines;
});
