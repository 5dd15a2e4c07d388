import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { Usage } from '../domain/usage.js';
import type { BalanceName } from '../domain/balances.js';

/** What moved in a balance, and for what. */
interface UsedLine {
  accountId: number;
  balance: BalanceName;
  usage: Usage;
}

type Counted = [
  accountId: number,
  balance: BalanceName,
  channel: string,
  prefix: string,
  sender: string,
  recipients: number,
  credits: number,
];

const COLUMNS = { debit: 'charged', refund: 'refunded' } as const;

/**
 * Counts usage beside its ledger entries, whatever their number and that of their accounts in one statement. The caller has
 * locked the balances of all lines, and each that counts for a balance locks it first: no counter is waited for.
 * @param entryId the first of these ledger entries, which all have one moment: the day that is counted is theirs
 */
export async function countUsage(
  tx: EntityManager,
  kind: keyof typeof COLUMNS,
  entryId: number,
  lines: readonly UsedLine[],
): Promise<void> {
  const counted = COLUMNS[kind];
  const others = kind === 'debit' ? 'refunded' : 'charged';
  await tx.query(
    `INSERT INTO usage_counters (account_id, day, balance, channel, prefix, sender,
       ${counted}_recipients, ${counted}_credits, ${others}_recipients, ${others}_credits)
     SELECT STRAIGHT_JOIN j.account_id, DATE(l.created_at), j.balance, j.channel, j.prefix, j.sender, j.recipients, j.credits, 0, 0
     FROM credit_ledger l JOIN JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
         balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', channel VARCHAR(16) CHARACTER SET ascii PATH '$[2]',
         prefix VARCHAR(8) CHARACTER SET ascii PATH '$[3]', sender VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[4]',
         recipients BIGINT PATH '$[5]', credits BIGINT PATH '$[6]')) j
     WHERE l.id = ?
     ON DUPLICATE KEY UPDATE ${counted}_recipients = ${counted}_recipients + VALUES(${counted}_recipients),
       ${counted}_credits = ${counted}_credits + VALUES(${counted}_credits)`,
    [jsonRows(rowsOf(lines)), entryId],
  );
}

/** One row a counter. */
function rowsOf(lines: readonly UsedLine[]): Counted[] {
  const rows = new Map<string, Counted>();
  for (const { accountId, balance, usage } of lines) {
    for (const { prefix, sender, recipients, credits } of usage.shares) {
      if (credits === 0) continue;
      const key = `${accountId} ${balance} ${usage.channel} ${prefix} ${sender}`;
      const known = rows.get(key);
      if (known) {
        known[5] += recipients;
        known[6] += credits;
      } else rows.set(key, [accountId, balance, usage.channel, prefix, sender, recipients, credits]);
    }
  }
  return [...rows.values()];
}
