const FIRST = 1_000;

/** Accounts like `bench`, for whom nobody logs in. @returns the id of the first; the others follow */
export async function storeAccounts(pool, count) {
  const [[one]] = await pool.query("SELECT * FROM accounts WHERE username = 'bench'");
  const rows = Array.from({ length: count }, (_, index) =>
    Object.values({ ...one, id: FIRST + index, username: `bench-${index}`, email: null }),
  );
  await pool.query('INSERT INTO accounts (??) VALUES ?', [Object.keys(one), rows]);
  return FIRST;
}
