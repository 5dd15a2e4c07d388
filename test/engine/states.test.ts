import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

/** Changes of one campaign's state that meet in the database. */
describe('the states of a campaign', () => {
  let engine: Engine;
  let dataSource: DataSource;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.module.get(DataSource);
  });
  afterAll(() => engine.stop());

  /** The campaign's row of the index over states, which `begin` may take before the campaign's own. */
  const BY_STATE = `SELECT id FROM campaigns FORCE INDEX (ix_campaigns_state) WHERE state = 'accepted' AND id = ?
    LOCK IN SHARE MODE`;
  const isTaken = (id: number): Promise<boolean> =>
    dataSource.query(`${BY_STATE} NOWAIT`, [id]).then(
      () => false,
      () => true,
    );

  it('begins while another change holds the campaign, whichever row either takes first', async () => {
    const accountId = await engine.account('deadlocked', 50);
    const accept = engine.module.get(CampaignAcceptance, { strict: false });
    const { id, requestId } = await accept.accept(engine.draft(accountId, numbers(50)));
    const other = dataSource.createQueryRunner();
    await other.startTransaction('READ COMMITTED');
    // Who has changed more wins.
    await other.query(
      'UPDATE campaign_recipients SET updated_at = updated_at + INTERVAL 1 SECOND WHERE campaign_id = ?',
      [id],
    );
    await other.query('SELECT id FROM campaigns WHERE id = ? FOR UPDATE', [id]);
    const states = engine.module.get(CampaignStates, { strict: false });
    const begun = inTransaction(dataSource, (tx) => states.begin(tx, [id], 60_000));
    for (let polls = 0; polls < 100 && !(await isTaken(id)); polls++) await sleep(5);
    await other.query(BY_STATE, [id]);
    await other.commitTransaction();
    await other.release();
    await begun;
    const reader = engine.module.get(CampaignReader, { strict: false });
    expect(await reader.byRequestId(requestId)).toMatchObject({ state: 'running' });
  });
});
