import { addRoute, startCarrier } from './carrier.mjs';
import { benchAccount, broadcast, contacts, size, stage, until, verdict } from './stage.mjs';

const CONTACTS = size('FAILOVER_CONTACTS', 30_000);
/** so slow that the carrier is gone while the campaign lasts */
const PACE = Math.ceil(CONTACTS / 10);
/** numbers of recipient statuses, as stored */
const PENDING = 0;
const UNKNOWN = 9;

/**
 * A carrier that is gone in the middle of a campaign whose chain has another: how soon the other one has the first message,
 * how soon all are out, and that none is lost, and none at both.
 */
export async function benchFailover(environment, say) {
  const set = await stage(environment);
  const [first, second] = [await startCarrier(set.environment, '9'), await startCarrier(set.environment, '9')];
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, first, 'first', { messages_per_second: PACE });
    await addRoute(admin, second, 'second');
    const rules = [{ prefixes: ['9'], routes: ['first', 'second'] }];
    await admin.call('PUT', '/v6/api/admin/routing/chain', { channel: 'sms', rules });
    await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(CONTACTS), 'any'));
    await set.worker();
    let taken = 0;
    const third = async () => (taken += (await first.ask({ take: true })).taken);
    await until(third, (sum) => sum >= CONTACTS / 3, { everyMs: 10 });
    await first.ask({ gone: true });
    const goneAt = Date.now();
    const { answer } = await until(() => second.ask({ take: true }), (look) => look.taken > 0, { everyMs: 10 }); // prettier-ignore
    const handedAfter = answer.first - goneAt;
    say(`the other carrier goes on after ${Math.round(handedAfter)} ms`);
    const open = async () => {
      const [[row]] = await set.database.query(
        `SELECT COALESCE(SUM(recipients), 0) AS open FROM campaign_counters WHERE status = ${PENDING}`,
      );
      return Number(row.open);
    };
    await until(open, (left) => left === 0, { everyMs: 50 });
    const outAfter = Date.now() - goneAt;
    const seen = [await first.seen(), await second.seen()];
    const [rows] = await set.database.query('SELECT receiver, status FROM campaign_recipients');
    const times = ({ receiver }) => seen.reduce((sum, some) => sum + (some.get(receiver)?.length ?? 0), 0);
    const doubtful = rows.filter(({ status }) => status === UNKNOWN);
    const lost = rows.filter((row) => row.status !== UNKNOWN && times(row) === 0).length;
    const name = `carrier gone during ${CONTACTS}`;
    const text = `${doubtful.length} in doubt, as many may have left`;
    return [
      verdict(`${name}: seconds until the next one has the first message`, handedAfter / 1_000, 'at most 5', ''),
      verdict(`${name}: seconds until all are out`, outAfter / 1_000, 'at most 60', text),
      verdict(`${name}: twice at the carriers`, rows.filter((row) => times(row) > 1).length, '0', ''),
      verdict(`${name}: neither there nor in doubt`, lost, '0', ''),
    ];
  } finally {
    await set.close();
    await Promise.all([first.stop(), second.stop()]);
  }
}
