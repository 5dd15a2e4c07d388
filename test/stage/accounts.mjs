import { broadcast } from './client.mjs';

const BATCH = 1_000;
export const usernameOf = (index) => `bench-${index}`;

/**
 * Accounts `bench-1`, `bench-2`, … like the account `bench`, with as many credits, which its username alone opens.
 * @returns their ids
 */
export async function addAccounts(database, total) {
  for (let from = 1; from <= total; from += BATCH) {
    const names = Array.from({ length: Math.min(BATCH, total - from + 1) }, (_, index) => usernameOf(from + index));
    const union = names.map(() => 'SELECT ? AS username').join(' UNION ALL ');
    const [columns] = await database.query(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = DATABASE() AND table_name = 'accounts' AND column_name NOT IN ('id', 'username', 'email')`,
    );
    const others = columns.map(({ name }) => name);
    await database.query(
      `INSERT INTO accounts (username, ${others.join(', ')})
       SELECT n.username, ${others.map((name) => `a.${name}`).join(', ')} FROM (${union}) n JOIN accounts a ON a.username = 'bench'`,
      names,
    );
  }
  await database.query(
    `INSERT INTO credit_balances (account_id, balance, available)
     SELECT a.id, b.balance, b.available FROM accounts a
     JOIN accounts o ON o.username = 'bench' JOIN credit_balances b ON b.account_id = o.id
     WHERE a.username LIKE 'bench-%'`,
  );
  const [added] = await database.query(
    "SELECT id FROM accounts WHERE username LIKE 'bench-%' ORDER BY LENGTH(username), username",
  );
  return added.map(({ id }) => id);
}

/** A broadcast of one of them. */
export async function sendAs(url, username, numbers, route) {
  const response = await fetch(`${url}/webhook/api/addbroadcastgsm.php`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...JSON.parse(broadcast(numbers, route)), username }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer.request_id;
}

/** So many requests at once. */
export async function each(items, atOnce, work) {
  let next = 0;
  const loop = async () => {
    for (let index = next++; index < items.length; index = next++) await work(items[index], index);
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}
