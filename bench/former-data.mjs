/** IDs carry their time (`src/kernel/ids.ts`). */
const EPOCH_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const firstIdAt = (ms) => (ms - EPOCH_MS) * 4096;

const ACCOUNTS = 20;
const DAYS = 60;
/** recipients a campaign, in turn */
const SIZES = [1, 1, 1, 1, 1, 1, 1, 1, 3, 10, 50, 500, 500, 2_500, 2_501, 12_000];
const CHANNELS = [
  { name: 'sms', prefix: 'GSMCAMP', balance: 'gsm_credits', content: '{"message":"Hello"}' },
  { name: 'unofficial', prefix: 'CHATCAMP', balance: 'bulk_chat_credits', content: '{"message":"Hello","img1":"http://127.0.0.1/1.png"}' }, // prettier-ignore
  { name: 'template', prefix: 'TEMPLATE', balance: 'chat_utility_credits', content: '{"template":{"name":"t"}}' },
  { name: 'branded', prefix: 'BRANDED', balance: 'chat_marketing_credits', content: '{"template":{"name":"t"}}' },
  { name: 'voice', prefix: 'VCAMP', balance: 'voice_credits', content: '' },
];
/** How a campaign stands: its state, and SQL of a recipient's status by its `seq`. */
const STANDINGS = [
  ['completed', 'ELT(1 + seq % 7, 2, 2, 3, 4, 2, 4, 2)', 'ELT(1 + seq % 4, 6, 7, 8, 4)'],
  ['completed', '2', '6'],
  ['running', 'ELT(1 + seq % 6, 0, 1, 2, 4, 9, 0)', 'ELT(1 + seq % 6, 0, 1, 6, 7, 9, 10)'],
  ['running', '1', '1'],
  ['cancelled', 'IF(seq % 2, 5, 2)', 'IF(seq % 2, 5, 6)'],
  ['cancelled', 'IF(seq % 2, 5, 1)', 'IF(seq % 2, 5, 1)'],
  ['paused', 'IF(seq % 3, 0, 2)', 'IF(seq % 3, 0, 6)'],
  ['accepted', '0', '0'],
];
const FINAL = '2, 3, 4, 5, 6, 7, 8';
const LANES = 'GREATEST(1, LEAST(8, CEIL(c.total_rows / 2500)))';
const token = (index) => `trial${String(index).padStart(27, '0')}`;

async function numbers(db) {
  await db.query('CREATE TABLE trial_numbers (n INT UNSIGNED NOT NULL PRIMARY KEY)');
  await db.query('INSERT INTO trial_numbers VALUES (1)');
  for (let count = 1; count < 16_384; count *= 2) {
    await db.query('INSERT INTO trial_numbers SELECT n + ? FROM trial_numbers', [count]);
  }
}

async function accounts(db) {
  await db.query(
    `INSERT INTO accounts (id, username, password_hash, password_changed_at, firstname, lastname, user_type, is_active,
       require_token, refund_failed, public_lookup, permissions, created_at, updated_at)
     SELECT n, CONCAT('trial', n), 'x', UTC_TIMESTAMP(3) - INTERVAL 1 YEAR, 'Trial', 'Account', IF(n = 1, 'super', 'client'), 1,
       0, 0, 1, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM trial_numbers WHERE n <= ${ACCOUNTS}`,
  );
  for (const [index, { name }] of CHANNELS.entries()) {
    await db.query(
      `INSERT INTO routes (id, name, channel, driver, config, default_for, callback_secret, pace_us, created_at, updated_at)
       VALUES (?, ?, ?, 'http', '{}', NULL, ?, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [index + 1, `trial-${name}`, name, `secret-${name}`],
    );
  }
  await db.query(
    `INSERT INTO webhook_endpoints (id, account_id, slot, url, events, status, secret, fence, created_at, updated_at)
     SELECT n, n, 1, 'https://example.com', 'gsm.status.update', 'active', 'x', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
     FROM trial_numbers WHERE n <= 5`,
  );
}

async function audio(db) {
  for (let index = 1; index <= 50; index++) {
    await db.query(
      `INSERT INTO audio_files (id, token, content_key, extension, mime, milliseconds, size, chunk_size, used, created_at)
       VALUES (?, ?, ?, 'mp3', 'audio/mpeg', 9000, 3, 262144, 1, UTC_TIMESTAMP(3))`,
      [index, token(index), `key${index}`],
    );
    await db.query('INSERT INTO audio_chunks (audio_id, seq, bytes) VALUES (?, 0, ?)', [index, Buffer.from('abc')]);
  }
}

/** One campaign with everything of it. @returns how many recipients it has */
async function campaign(db, index) {
  const channel = CHANNELS[index % CHANNELS.length];
  const [state, status, callStatus] = STANDINGS[Math.floor(index / CHANNELS.length) % STANDINGS.length];
  const total = SIZES[Math.floor(index / 3) % SIZES.length];
  const isVoice = channel.name === 'voice';
  const at = Date.now() - DAYS * DAY_MS + ((index * 7_919) % (DAYS * 24 * 60)) * 60_000;
  const id = firstIdAt(at) + index;
  const requestId = `${channel.prefix}_TRIAL_${index}`;
  const content = isVoice
    ? JSON.stringify({ audio_url: `/audio/${token(1 + (index % 50))}.mp3`, milliseconds: 9_000, source: { message: 'x', language: null }, voiceplan: 15, caller_id: '', menu: null, retries: 2, retry_interval: 60 }) // prettier-ignore
    : channel.content;
  const isOver = state === 'completed' || (state === 'cancelled' && !status.includes('1)'));
  const created = new Date(at);
  await db.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, total_rows, unsettled, refunded_credits, retry_of, scheduled_at, overdue_check_at, created_at, sent_at, completed_at)
     VALUES (?, ?, ?, ?, ?, 'Trial', 'main', ?, ?, ?, 2, ?, 0, 0, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      1 + (index % ACCOUNTS),
      requestId,
      channel.name,
      state === 'paused' && isVoice ? 'pending_approval' : state,
      1 + (index % CHANNELS.length),
      content,
      channel.balance,
      total,
      index % 50 === 49 ? `${channel.prefix}_TRIAL_${index - 1}` : null,
      state === 'accepted' ? new Date(Date.now() + 30 * DAY_MS) : null,
      state === 'running' ? new Date(Date.now() + DAY_MS) : null,
      created,
      isOver ? created : null,
      isOver ? created : null,
    ],
  );
  const of = isVoice ? callStatus : status;
  await db.query(
    `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, error_code, error_message, duration,
       updated_at, delivered_at, refunded, source_seq, outcome_unknown)
     SELECT ?, seq, 919800000000 + seq, s, IF(s = 0, 0, 1 + seq % 3), IF(s = 4, seq % 90, NULL), IF(s = 4, 'Absent', NULL),
       IF(s = 6, seq % 60, NULL), ?, IF(s IN (2, 3), ?, NULL), IF(s = 4 AND seq % 5 = 0, 1, 0), IF(? AND seq % 2, seq, NULL), s = 9
     FROM (SELECT seq, ${of} AS s FROM (SELECT n AS seq FROM trial_numbers WHERE n <= ?) q) j`,
    [id, created, created, index % 50 === 49, total],
  );
  await db.query(
    `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, match_key, items, status, submitted_at)
     SELECT r.campaign_id, r.seq, 0, ?, UUID(), NULL, 1, LEAST(r.status, 4), IF(r.seq % 10, ?, NULL)
     FROM campaign_recipients r WHERE r.campaign_id = ? AND r.status NOT IN (0, 5, 9)`,
    [1 + (index % CHANNELS.length), created, id],
  );
  if (isVoice) {
    await db.query(
      `INSERT INTO voice_calls (campaign_id, seq, call_id, attempt, status, seconds, digits, started_at)
       SELECT campaign_id, seq, CONCAT('CA', campaign_id, '-', seq), 1, LEAST(status, 8), 5, '1', updated_at
       FROM campaign_recipients WHERE campaign_id = ? AND status NOT IN (0, 5, 9)`,
      [id],
    );
  }
  return total;
}

/** What is counted, waits or is charged, of all campaigns at once. */
const DERIVED = [
  `INSERT INTO campaign_counters (campaign_id, status, recipients)
     SELECT campaign_id, status, COUNT(*) FROM campaign_recipients GROUP BY campaign_id, status`,
  `UPDATE campaigns c SET c.unsettled = COALESCE((SELECT SUM(k.recipients) FROM campaign_counters k
     WHERE k.campaign_id = c.id AND k.status NOT IN (${FINAL})), 0),
     c.refunded_credits = 2 * COALESCE((SELECT SUM(k.recipients) FROM campaign_counters k WHERE k.campaign_id = c.id AND k.status = 5), 0)`,
  `INSERT INTO campaign_lanes (campaign_id, lane, channel, next_seq, intent_seq, end_seq, fence, wake_at)
     SELECT c.id, l.n - 1, c.channel, (l.n - 1) * CEIL(c.total_rows / ${LANES}) + 1, 1,
       LEAST(l.n * CEIL(c.total_rows / ${LANES}), c.total_rows) + 1, 3,
       IF(c.state IN ('running', 'accepted'), COALESCE(c.scheduled_at, UTC_TIMESTAMP(3)), NULL)
     FROM campaigns c JOIN trial_numbers l ON l.n <= ${LANES} WHERE c.unsettled > 0`,
  `UPDATE campaign_lanes SET intent_seq = next_seq`,
  `INSERT INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at)
     SELECT r.campaign_id, r.seq, c.route_id, r.receiver, r.updated_at FROM campaign_recipients r
     JOIN campaigns c ON c.id = r.campaign_id WHERE r.status = 9`,
  `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt, last_status)
     SELECT r.campaign_id, r.seq, (r.seq - 1) DIV CEIL(c.total_rows / ${LANES}), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR, 2, 8
     FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE r.status = 10`,
  `INSERT INTO webhook_events (id, account_id, type, body, campaign_id, seq, created_at)
     SELECT CONCAT('evt_', LPAD(LOWER(HEX(r.campaign_id DIV 4096 + ${EPOCH_MS})), 12, '0'), LPAD(LOWER(HEX(r.campaign_id % 4096)), 6, '0'),
       LPAD(LOWER(HEX(r.seq)), 14, '0')), c.account_id, 'gsm.status.update', '{"event":"gsm.status.update"}', r.campaign_id, r.seq, r.updated_at
     FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id WHERE c.account_id <= 5 AND c.channel = 'sms'`,
  `INSERT INTO webhook_attempts (endpoint_id, id, event_id, type, attempt, status_code, answer, duration_ms, created_at)
     SELECT account_id, campaign_id + seq, id, type, 1, 200, '', 5, created_at FROM webhook_events`,
  `INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision)
     SELECT account_id, id, UTC_TIMESTAMP(3), 0, 0, 0 FROM webhook_events ORDER BY id DESC LIMIT 1000`,
  `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_at)
     SELECT account_id, balance, 10000000, 10000000, 'grant', NULL, 'Trial', MIN(created_at) - INTERVAL 1 DAY
     FROM campaigns GROUP BY account_id, balance`,
  `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_at)
     SELECT account_id, balance, -2 * CAST(total_rows AS SIGNED), 0, 'debit', request_id, NULL, created_at FROM campaigns ORDER BY id`,
  `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_at)
     SELECT account_id, balance, refunded_credits, 0, 'refund', request_id, NULL, created_at FROM campaigns
     WHERE refunded_credits > 0 ORDER BY id`,
  `INSERT INTO credit_balances (account_id, balance, available)
     SELECT account_id, balance, SUM(amount) FROM credit_ledger GROUP BY account_id, balance`,
  `INSERT INTO session_messages (id, account_id, route_id, receiver, content, status, created_at, updated_at)
     SELECT n, 1, 3, '919800000000', '{}', 2, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM trial_numbers`,
  `INSERT INTO suppressions (account_id, number, source, created_at)
     SELECT 1, 919800000000 + n, 'import', UTC_TIMESTAMP(3) FROM trial_numbers WHERE n <= 1000`,
];

/**
 * Fills a database of the last version: campaigns of every channel and standing over 60 days, with all that hangs on them.
 * @returns the request ids of all campaigns
 */
export async function fillFormer(db, recipients, say) {
  await numbers(db);
  await accounts(db);
  await audio(db);
  let count = 0;
  let index = 0;
  for (; count < recipients; index++) count += await campaign(db, index);
  for (const statement of DERIVED) await db.query(statement);
  await db.query('DROP TABLE trial_numbers');
  say(`${index} campaigns with ${count} recipients`);
}
