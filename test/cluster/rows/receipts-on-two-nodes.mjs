import { signIn } from '../../stage/client.mjs';
import { idOf, storeCampaign, SUBMITTED } from '../stored-campaign.mjs';
import { sqlMessageKey } from '../../stage/message-key.mjs';

const RECIPIENTS = 1_000;
const AT_ONCE = 10;
const ROUTE = 'chat-gateway';
const CAMPAIGN = 1_000_000;

export const name = 'receipts-on-two-nodes';
export const shown =
  '1,000 recipients of two items each, the receipts of one item on one node, of the other on another';
export const goal = '0 stuck';
export const needs = ['galera-distant'];

/** A campaign whose recipients have two messages each at the carrier, none of them settled. */
async function storeMessages({ pool }) {
  const routeId = await idOf(pool, 'routes', 'name', ROUTE);
  const accountId = await idOf(pool, 'accounts', 'username', 'bench');
  const own = { channel: 'unofficial', balance: 'bulk_chat_credits', status: SUBMITTED, total: RECIPIENTS };
  await storeCampaign(pool, { id: CAMPAIGN, accountId, routeId, ...own });
  const messages = Array.from({ length: RECIPIENTS }, (_, index) => index + 1).flatMap((seq) =>
    [0, 1].map((item) => [CAMPAIGN, seq, item, routeId, `m-${seq}-${item}`, 2, SUBMITTED]),
  );
  await pool.query(
    'INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status) VALUES ?',
    [messages],
  );
  await pool.query(
    `UPDATE provider_messages SET message_key = ${sqlMessageKey('route_id', 'provider_message_id')} WHERE campaign_id = ?`,
    [CAMPAIGN],
  );
}

/** The receipts of one item of these recipients. */
async function tell(api, secret, item, seqs) {
  const response = await fetch(`${api.url}/provider/unofficial/${ROUTE}/${secret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(seqs.map((seq) => ({ id: `m-${seq}-${item}`, status: 'delivered' }))),
  });
  if (!response.ok) throw new Error(`a receipt was answered with ${response.status}: ${await response.text()}`);
}

export async function run(stage) {
  const apis = await Promise.all([0, 1].map((node) => stage.startOn(node, 'api')));
  const { admin } = await stage.signInAt(apis[0], { bulk_chat_credits: RECIPIENTS });
  await stage.deadRoute(admin, ROUTE, 'unofficial');
  await storeMessages(stage);
  const [route] = await stage.query(1, 'SELECT callback_secret AS secret FROM routes WHERE name = ?', [ROUTE]);
  for (let first = 1; first <= RECIPIENTS; first += AT_ONCE) {
    const seqs = Array.from({ length: AT_ONCE }, (_, index) => first + index);
    await Promise.all(apis.map((api, item) => tell(api, route.secret, item, seqs)));
  }
  const stuck = 'SELECT COUNT(*) AS stuck FROM campaign_recipients WHERE campaign_id = ? AND status = ?';
  const counted = [];
  for (const node of stage.nodeUrls.keys()) {
    counted.push(Number((await stage.query(node, stuck, [CAMPAIGN, SUBMITTED]))[0].stuck));
  }
  // as its owner sees it on the third node
  const owner = await signIn((await stage.startOn(2, 'api')).url, 'bench');
  const { data } = await owner.call('GET', `/v6/api/campaigns/STORED_${CAMPAIGN}`);
  const most = Math.max(...counted);
  return {
    figure: `${most} stuck`,
    ok: most === 0 && data.state === 'completed' && data.status_counts.DELIVERED === RECIPIENTS,
    text: `the campaign is ${data.state}: ${JSON.stringify(data.status_counts)}`,
  };
}
