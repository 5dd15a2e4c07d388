import type { ApiClient } from './api-client.js';
import { EXIT, Failure, print, printJson } from './terminal.js';

const PAGE = 1_000;
const ACCOUNTS = '/v6/api/admin/accounts';

/** Grants credits, or takes them back. */
export async function grantCredits(
  api: ApiClient,
  username: string,
  balance: string,
  amount: number,
  { note, json }: { note?: string; json?: boolean } = {},
): Promise<void> {
  const { data } = await api.call<{ data: { balance: string; available: number } }>(
    'POST',
    `${ACCOUNTS}/${encodeURIComponent(username)}/credits`,
    { balance, amount, ...(note === undefined ? {} : { note }) },
  );
  if (json) printJson(data);
  else print(`${username}: ${data.balance} ${data.available}`);
}

interface Proof {
  balance: string;
  stored: number;
  ledger: number;
  usage: { charged: number; refunded: number; ledger_charged: number; ledger_refunded: number; ok: boolean };
  ok: boolean;
  closings?: { month: string; ok: boolean }[];
}

/** Compares balances with ledger sums and usage with debits and refunds. Throws Failure (3) on a mismatch. */
export async function proveBalances(
  api: ApiClient,
  username?: string,
  { closings, json }: { closings?: true; json?: boolean } = {},
): Promise<void> {
  let proved = 0;
  const wrong: string[] = [];
  for await (const name of username === undefined ? usernames(api) : [username]) {
    const path = `${ACCOUNTS}/${encodeURIComponent(name)}/credits/proof${closings ? '?closings=true' : ''}`;
    const { data } = await api.call<{ data: Proof[] }>('GET', path);
    if (json) printJson({ username: name, balances: data });
    for (const proof of data) {
      proved += 1;
      if (!proof.ok) wrong.push(`${name}: ${faultOf(proof)}`);
    }
  }
  if (!json) for (const line of wrong) print(line);
  if (wrong.length > 0) {
    throw new Failure(`${wrong.length} of ${proved} balances do not agree with their ledger`, EXIT.notAsItShould);
  }
  if (!json) print(`${proved} balances agree with their ledger`);
}

function faultOf({ balance, stored, ledger, usage, closings = [] }: Proof): string {
  const month = closings.find(({ ok }) => !ok)?.month;
  if (month === undefined && stored === ledger) {
    const { charged, refunded, ledger_charged: debits, ledger_refunded: refunds } = usage;
    return `${balance} was used for ${charged} and ${refunded} came back, its ledger says ${debits} and ${refunds}`;
  }
  return `${balance} is ${stored}, its ledger says ${month ? `otherwise since ${month}` : ledger}`;
}

async function* usernames(api: ApiClient): AsyncGenerator<string> {
  for (let page = 1; ; page++) {
    const { data } = await api.call<{ data: { username: string }[] }>('GET', `${ACCOUNTS}?page=${page}&limit=${PAGE}`);
    for (const { username } of data) yield username;
    if (data.length < PAGE) return;
  }
}
