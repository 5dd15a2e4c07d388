import { readFileSync } from 'node:fs';
import { JwtService } from '@nestjs/jwt';
import autocannon from 'autocannon';
import { addAccounts } from './many-accounts.mjs';
import { benchAccount, broadcast, freePort, median, signIn, stage, verdict } from './stage.mjs';

const ROUNDS = 4;
const SECONDS = 6;
const CONNECTIONS = 64;
const ACCOUNTS = 1_000;
const WEEK_SECONDS = 604_800;

/** Processor time that a process has taken, milliseconds: on a machine that others use too it says more than the rate. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A token of each account, as a login would give it. */
async function tokensOf(database, secret) {
  const jwt = new JwtService({ secret });
  const iat = Math.floor(Date.now() / 1000);
  const [accounts] = await database.query("SELECT id, username FROM accounts WHERE username LIKE 'bench-%'");
  return accounts.map(({ id, username }) =>
    jwt.sign({
      iat,
      exp: iat + WEEK_SECONDS,
      iss: 'switchboard',
      sub: String(id),
      data: { id, name: username, username, email: null, mobile: null },
    }),
  );
}

/**
 * (c) Broadcasts of one contact at 64 connections, on one account and over 1,000, beside a Nest application that is furnished
 * as ours and answers a constant.
 */
export async function benchHot(environment, say) {
  const set = await stage(environment);
  try {
    const api = await set.api();
    await benchAccount(api.url);
    const { token } = await signIn(api.url, 'bench');
    await addAccounts(set.database, ACCOUNTS);
    const many = await tokensOf(set.database, set.environment.JWT_SECRET);
    const port = await freePort();
    set.environment.PORT = String(port);
    const furnished = await set.run('bench/furnished-nest.mjs', port);
    const body = broadcast(['919000000001']);
    const request = (bearer) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body,
    });
    const load = async ({ url, pid }, tokens, seconds = SECONDS) => {
      let connection = 0;
      const before = processorTime(pid);
      const result = await autocannon({
        url: `${url}/webhook/api/addbroadcastgsm.php`,
        connections: CONNECTIONS,
        duration: seconds,
        // Each connection has its part of the accounts: all of them on each would be 64,000 requests, which take the generator
        // a tenth of the measured time to make.
        setupClient: (client) => {
          const first = Math.floor((connection++ * tokens.length) / CONNECTIONS);
          const end = Math.max(first + 1, Math.floor((connection * tokens.length) / CONNECTIONS));
          client.setRequests(tokens.slice(first, end).map(request));
        },
      });
      if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
      return { rate: result.requests.average, ms: (processorTime(pid) - before) / result.requests.total };
    };
    const lines = [];
    for (const [name, tokens] of Object.entries({ 'one account': [token], '1,000 accounts': many })) {
      await load(api, tokens, 2);
      await load(furnished, tokens, 2);
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) {
        const [ours, bare] = [await load(api, tokens), await load(furnished, tokens)];
        rounds.push({ ours, bare });
        say(
          `${name}: ours ${ours.rate.toFixed(0)}/s, ${ours.ms.toFixed(2)} ms each; furnished Nest ${bare.rate.toFixed(0)}/s, ${bare.ms.toFixed(2)} ms`,
        );
      }
      const cost = median(rounds.map(({ ours, bare }) => bare.ms / ours.ms));
      lines.push(
        verdict(
          `(c) single-contact broadcasts of ${name}, ours / furnished Nest`,
          median(rounds.map(({ ours, bare }) => ours.rate / bare.rate)),
          'at least 0.75',
          `by processor time ${cost.toFixed(2)}, ours ${median(rounds.map(({ ours }) => ours.ms)).toFixed(2)} ms each`,
        ),
      );
    }
    return lines;
  } finally {
    await set.close();
  }
}
