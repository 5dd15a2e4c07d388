import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idBound, partitionByDay } from '../day-partitions.js';

/** Recipients whose variables stand in one row (`VariableBlocks`). */
const A_BLOCK = 100;
const ROWS_A_STEP = 10_000;

interface MovedRow {
  campaign_id: number;
  seq: number;
  variables: string;
}

/**
 * The variables of recipients stand a hundred in a row, not one: a personalised campaign is accepted at the speed of a plain
 * one then (docs/decisions/0029). And a campaign says in what its recipients differ, so that sending reads no more than
 * that. A run that was broken off writes the same blocks again.
 */
export class OwnVariables1700000015500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_variables (
        campaign_id BIGINT NOT NULL,
        block INT UNSIGNED NOT NULL,
        variables LONGTEXT NOT NULL,
        PRIMARY KEY (campaign_id, block)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await partitionByDay(queryRunner, 'recipient_variables', 'RANGE (campaign_id)', idBound);
    if (!(await queryRunner.hasColumn('campaigns', 'own_kinds'))) {
      await queryRunner.query(
        'ALTER TABLE campaigns ADD COLUMN own_kinds TINYINT UNSIGNED NOT NULL DEFAULT 0 AFTER own_terms',
      );
    }
    if (!(await queryRunner.hasColumn('recipient_terms', 'variables'))) return;
    // routes and senders, as it was not told before which of both
    await queryRunner.query('UPDATE campaigns SET own_kinds = own_kinds | 3 WHERE own_terms = 1');
    await this.move(queryRunner);
    await queryRunner.query('ALTER TABLE recipient_terms DROP COLUMN variables');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('recipient_terms', 'variables'))) {
      await queryRunner.query('ALTER TABLE recipient_terms ADD COLUMN variables LONGTEXT NULL AFTER credits');
    }
    await this.moveBack(queryRunner);
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN own_kinds');
    await queryRunner.query('DROP TABLE recipient_variables');
  }

  private async move(queryRunner: QueryRunner): Promise<void> {
    for (let [campaign, seq] = [0, 0]; ;) {
      const rows = (await queryRunner.query(
        `SELECT campaign_id, seq, variables FROM recipient_terms
         WHERE (campaign_id > ? OR campaign_id = ? AND seq > ?) AND variables IS NOT NULL
         ORDER BY campaign_id, seq LIMIT ${ROWS_A_STEP}`,
        [campaign, campaign, seq],
      )) as MovedRow[];
      for (const block of blocksOf(rows)) {
        await queryRunner.query(
          `INSERT INTO recipient_variables (campaign_id, block, variables) VALUES (?, ?, ?)
           ON DUPLICATE KEY UPDATE variables = VALUES(variables)`,
          [block.campaign, block.block, textOf(await this.joined(queryRunner, block))],
        );
        await queryRunner.query('UPDATE campaigns SET own_kinds = own_kinds | 4 WHERE id = ?', [block.campaign]);
      }
      const last = rows.at(-1);
      if (!last) return;
      [campaign, seq] = [last.campaign_id, last.seq];
    }
  }

  /** A block whose first rows were read a step before keeps them. */
  private async joined(queryRunner: QueryRunner, { campaign, block, values }: MovedBlock): Promise<Moved[]> {
    const found = (await queryRunner.query(
      'SELECT variables FROM recipient_variables WHERE campaign_id = ? AND block = ?',
      [campaign, block],
    )) as Pick<MovedRow, 'variables'>[];
    const before = found[0] ? valuesOf(found[0].variables) : [];
    const length = Math.max(before.length, values.length);
    return Array.from({ length }, (_, place) => values[place] ?? before[place] ?? null);
  }

  private async moveBack(queryRunner: QueryRunner): Promise<void> {
    for (let [campaign, block] = [0, -1]; ;) {
      const rows = (await queryRunner.query(
        `SELECT campaign_id, block, variables FROM recipient_variables
         WHERE campaign_id > ? OR campaign_id = ? AND block > ? ORDER BY campaign_id, block LIMIT ${A_BLOCK}`,
        [campaign, campaign, block],
      )) as { campaign_id: number; block: number; variables: string }[];
      for (const row of rows) {
        const values = valuesOf(row.variables).map((value, place) => [
          row.campaign_id,
          row.block * A_BLOCK + place + 1,
          value && JSON.stringify(value),
        ]);
        const own = values.filter(([, , value]) => value !== null);
        if (own.length > 0) {
          await queryRunner.query(
            `INSERT INTO recipient_terms (campaign_id, seq, variables) VALUES ${own.map(() => '(?, ?, ?)').join(', ')}
             ON DUPLICATE KEY UPDATE variables = VALUES(variables)`,
            own.flat(),
          );
        }
        await queryRunner.query('UPDATE campaigns SET own_terms = 1 WHERE id = ?', [row.campaign_id]);
      }
      const last = rows.at(-1);
      if (!last) return;
      [campaign, block] = [last.campaign_id, last.block];
    }
  }
}

interface MovedBlock {
  campaign: number;
  block: number;
  /** by place in the block */
  values: Moved[];
}

/** What one recipient has; null = nothing. */
type Moved = Record<string, string> | null;

/** The form of a block (`blockText`): `name,city;3,4,5,0;AnnRomeMarie`. */
function textOf(values: readonly Moved[]): string {
  const names = [...new Set(values.flatMap((value) => Object.keys(value ?? {})))];
  const texts = values.flatMap((value) => names.map((name) => value?.[name] ?? ''));
  return `${names.join(',')};${texts.map(({ length }) => length).join(',')};${texts.join('')}`;
}

function valuesOf(block: string): Moved[] {
  const [head = '', lengths = ''] = block.split(';', 2);
  const names = head.split(',');
  const sizes = lengths.split(',').map(Number);
  let from = head.length + lengths.length + 2;
  const texts = sizes.map((size) => block.slice(from, (from += size)));
  return Array.from({ length: texts.length / names.length }, (_, place) => {
    const own = names.flatMap((name, at) => {
      const text = texts[place * names.length + at];
      return text ? [[name, text]] : [];
    });
    return own.length > 0 ? (Object.fromEntries(own) as Moved) : null;
  });
}

function blocksOf(rows: readonly MovedRow[]): MovedBlock[] {
  const blocks = new Map<string, MovedBlock>();
  for (const { campaign_id: campaign, seq, variables } of rows) {
    const block = Math.floor((seq - 1) / A_BLOCK);
    const key = `${campaign} ${block}`;
    const known = blocks.get(key) ?? { campaign, block, values: [] };
    known.values[(seq - 1) % A_BLOCK] = JSON.parse(variables) as Moved;
    blocks.set(key, known);
  }
  return [...blocks.values()];
}
