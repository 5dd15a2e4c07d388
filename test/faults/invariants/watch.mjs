import { campaignsSince, isFinal, recipientsOf, sessionsOf, STATUS } from './snapshot.mjs';

const EVERY_MS = 400;
/** Of what a look asks, so that a database that stands still does not hold it for ever. */
const LOOK_MS = 3_000;
const LONG_SECONDS = 2;
const MOST_QUERY = 300;

/** Looks at all statuses while the fault lasts: what was final once stays as it is (I5), and no balance is below zero (I1). */
export class Watch {
  violations = [];
  /** transactions that lasted: what others may have waited for */
  long = [];
  looks = 0;
  #final = new Map();
  #timer = null;
  #isLooking = false;

  /** @param {{ known: Set<number>, numberPrefix: string }} own of the strike, as `untilSettled` takes it */
  constructor(pool, own) {
    Object.assign(this, { pool, ...own });
  }

  start() {
    this.#timer = setInterval(() => void this.look().catch(() => undefined), EVERY_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }

  async look() {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), LOOK_MS).unref());
    const reading = this.#read().finally(() => (this.#isLooking = false));
    await Promise.race([reading, late]);
  }

  async #read() {
    const recipients = await recipientsOf(this.pool, await campaignsSince(this.pool, this.known));
    const [negative] = await this.pool.query('SELECT * FROM credit_balances WHERE available < 0');
    for (const row of negative) this.violations.push({ invariant: 'I1', text: `below zero: ${JSON.stringify(row)}` });
    const [long] = await this.pool.query(
      `SELECT NOW(3) AS at, trx_mysql_thread_id AS thread, trx_state AS state, trx_started AS since, trx_rows_locked AS locked, trx_query AS query
       FROM information_schema.innodb_trx WHERE trx_started < NOW() - INTERVAL ${LONG_SECONDS} SECOND`,
    );
    this.long.push(...long.map((row) => ({ ...row, query: row.query?.slice(0, MOST_QUERY) })));
    this.looks += 1;
    const sessions = await sessionsOf(this.pool, this.numberPrefix);
    const all = [
      ...recipients.map((row) => ({ ...row, key: `${row.campaignId} ${row.seq}` })),
      ...sessions.map((row) => ({ ...row, key: `session ${row.messageId}` })),
    ];
    for (const { key, status, number, campaign } of all) {
      const before = this.#final.get(key);
      if (before !== undefined && before !== status && !(before === STATUS.Delivered && status === STATUS.Read)) {
        const text = `status ${before} became ${status}`;
        this.violations.push({ invariant: 'I5', text, number, requestId: campaign?.requestId });
      }
      if (isFinal(status)) this.#final.set(key, status);
    }
  }
}
