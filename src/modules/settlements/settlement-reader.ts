import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Between, DataSource, In } from 'typeorm';
import { firstIdAt } from '../../kernel/ids.js';
import type { Listed, Page } from '../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../platform/database/index.js';
import { recipientText, saltsOf, type SettledRecipient, tagOf } from './encoding.js';
import { leafHash, LEAVES_A_PAGE, pathOf, rootOf } from './merkle.js';
import { type SettledCampaign, SettledRows } from './settled-rows.js';
import { ErasedLeafEntity, SettlementEntity, SettlementKeyEntity, SettlementPageEntity } from './tables.js';
import { settlementErrors } from './settlements.errors.js';

export interface RecipientProof {
  recipient: SettledRecipient;
  leaf: string;
  salt: Buffer;
  index: number;
  path: Buffer[];
}

interface TextedPage {
  recipients: readonly SettledRecipient[];
  texts: readonly string[];
  saltAt: (index: number) => Buffer | null;
  kept: SettlementPageEntity;
}

/** Reads settlements, and computes again what they were signed over. */
@Injectable()
export class SettlementReader {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rows: SettledRows,
  ) {}

  /** @throws AppError Settlement not found, … not issued yet, … refused */
  async of(campaignId: number): Promise<{ settlement: SettlementEntity; campaign: SettledCampaign }> {
    const [campaign] = await this.rows.campaigns(this.dataSource, [campaignId]);
    const settlement = await this.dataSource.getRepository(SettlementEntity).findOneBy({ campaignId });
    if (settlement && campaign) return { settlement, campaign };
    const [row] = await this.dataSource.query<{ due: number }[]>(
      'SELECT settlement_due AS due FROM campaigns WHERE id = ?',
      [campaignId],
    );
    if (row?.due === 2) throw settlementErrors.refused();
    throw row?.due === 1 && campaign?.isTest === false ? settlementErrors.notYet() : settlementErrors.none();
  }

  /** Newest first. @param from, to times of issue, `to` exclusive */
  async part(accountId: number, from: Date | null, to: Date | null, page: Page): Promise<Listed<SettlementEntity>> {
    const where = `account_id = ?${from ? ' AND id >= ?' : ''}${to ? ' AND id < ?' : ''}`;
    const values = [accountId, ...[from, to].flatMap((at) => (at ? [firstIdAt(at)] : []))];
    const list = {
      ...({ table: 'settlements', index: 'ix_settlements_account', key: 'id', order: 'DESC' } as const),
      ranges: [{ where, values }],
    };
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(SettlementEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  keys(): Promise<SettlementKeyEntity[]> {
    return this.dataSource
      .getRepository(SettlementKeyEntity)
      .find({ order: { firstUsedAt: 'DESC', id: 'ASC' }, take: MOST_KEYS });
  }

  async publicKeys(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.keys()).map(({ id, publicKey }) => [id, publicKey]));
  }

  /** Proves one recipient from the rows of its page. @throws AppError Recipients differ …, Recipient is erased */
  async proof(campaign: SettledCampaign, seq: number): Promise<RecipientProof> {
    const page = Math.floor((seq - 1) / LEAVES_A_PAGE);
    const place = (seq - 1) % LEAVES_A_PAGE;
    const roots = await this.roots(campaign);
    const { texts, recipients, saltAt } = await this.page(campaign, page);
    const leaves = texts.map(leafHash);
    const [leaf, recipient, salt] = [texts[place], recipients[place], saltAt(place)];
    if (!salt) throw settlementErrors.erased();
    if (leaf === undefined || !recipient || roots[page]?.equals(rootOf(leaves)) !== true)
      throw settlementErrors.broken();
    return { leaf, recipient, salt, index: seq - 1, path: [...pathOf(leaves, place), ...pathOf(roots, page)] };
  }

  /** Texts of all leaves, in pages. */
  async *leaves(campaign: SettledCampaign): AsyncGenerator<readonly string[], void, undefined> {
    const pages = Math.ceil(campaign.totalRows / LEAVES_A_PAGE);
    for (let page = 0; page < pages; page++) yield await this.leavesOf(campaign, page);
  }

  async isSettled(campaignId: number): Promise<boolean> {
    return this.dataSource.getRepository(SettlementEntity).existsBy({ campaignId });
  }

  /** Texts of the leaves of a page. */
  async leavesOf(campaign: SettledCampaign, page: number): Promise<readonly string[]> {
    return (await this.page(campaign, page)).texts;
  }

  private async page(campaign: SettledCampaign, page: number): Promise<TextedPage> {
    const range = { from: page * LEAVES_A_PAGE + 1, to: (page + 1) * LEAVES_A_PAGE };
    const campaignId = campaign.id;
    const source = this.dataSource.manager;
    const kept = await source.getRepository(SettlementPageEntity).findOneBy({ campaignId, page });
    const recipients = (await this.rows.recipients(this.dataSource, [campaign], range)).get(campaignId);
    if (!kept || !recipients) throw settlementErrors.broken();
    const erased = await source.getRepository(ErasedLeafEntity).find({
      where: { campaignId, seq: Between(range.from, range.to) },
      take: LEAVES_A_PAGE,
    });
    const leafOf = new Map(erased.map(({ seq, leaf }) => [seq, leaf]));
    const saltAt = saltsOf(kept.salts);
    const texts = recipients.map((recipient, index) => {
      const salt = saltAt(index);
      return salt ? recipientText(tagOf(salt, recipient.number), recipient) : (leafOf.get(recipient.seq) ?? '');
    });
    return { recipients, texts, saltAt, kept };
  }

  private async roots(campaign: SettledCampaign): Promise<Buffer[]> {
    const rows = await this.dataSource.query<{ root: Buffer }[]>(
      'SELECT root FROM settlement_pages WHERE campaign_id = ? ORDER BY page LIMIT ?',
      [campaign.id, Math.ceil(campaign.totalRows / LEAVES_A_PAGE)],
    );
    return rows.map(({ root }) => root);
  }
}

const MOST_KEYS = 1_000;
