import { signIn } from '../../stage/client.mjs';
import { FAILED, idOf, storeCampaign } from '../stored-campaign.mjs';

const PARENTS = 5;
const CALLS = 100;
const RECIPIENTS = 20;
const CREDITS = 1_000;

export const name = 'parallel-retry';
export const shown = '100 parallel retry-failed calls of one campaign over three nodes, five campaigns in turn';
export const goal = '1 child each';
export const needs = ['galera-distant'];

/** All calls at the same moment, in turn over the APIs. @returns their statuses; 0 = no answer */
function callAtOnce(clients, parent) {
  const call = (index) =>
    clients[index % clients.length].call('POST', `/v6/api/campaigns/${parent}/retry-failed`, {}).then(
      () => 200,
      (error) => Number(/: (\d{3}) /.exec(error.message)?.[1] ?? 0),
    );
  return Promise.all(Array.from({ length: CALLS }, (_, index) => call(index)));
}

export async function run(stage) {
  const apis = await Promise.all(stage.nodeUrls.map((_, node) => stage.startOn(node, 'api')));
  const { admin } = await stage.signInAt(apis[0], { gsm_credits: CREDITS });
  await stage.deadRoute(admin, 'bench', 'sms');
  const accountId = await idOf(stage.pool, 'accounts', 'username', 'bench');
  const routeId = await idOf(stage.pool, 'routes', 'name', 'bench');
  const clients = await Promise.all(apis.map(({ url }) => signIn(url, 'bench')));
  const own = { accountId, routeId, channel: 'sms', balance: 'gsm_credits', status: FAILED, total: RECIPIENTS };
  const counts = new Map();
  for (let id = 1; id <= PARENTS; id++) {
    const parent = await storeCampaign(stage.pool, { id, ...own });
    for (const node of stage.nodeUrls.keys()) await stage.query(node, 'SELECT 1');
    for (const status of await callAtOnce(clients, parent)) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const children = await stage.query(
    0,
    'SELECT retry_of, COUNT(*) AS children FROM campaigns WHERE retry_of IS NOT NULL GROUP BY retry_of',
  );
  const [{ available }] = await stage.query(
    0,
    "SELECT available FROM credit_balances WHERE account_id = ? AND balance = 'gsm_credits'",
    [accountId],
  );
  const most = Math.max(...children.map((one) => Number(one.children)));
  const isExact = Number(available) === CREDITS - PARENTS * RECIPIENTS;
  const faults = [...counts].filter(([status]) => status === 0 || status >= 500);
  return {
    figure: `${most} child${most === 1 ? '' : 'ren'} each`,
    ok: children.length === PARENTS && most === 1 && isExact && faults.length === 0,
    text: `answers ${[...counts].map(([status, count]) => `${status}: ${count}`).join(', ')}; ${available} of ${CREDITS} credits left`,
  };
}
