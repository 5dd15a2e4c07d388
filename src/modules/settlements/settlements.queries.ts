import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { readId } from '../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { AccountDirectory, type Actor } from '../accounts/index.js';
import { CampaignReader, campaignErrors, maySee } from '../campaigns/index.js';
import type { CampaignRecord } from '../engine/index.js';
import { BUNDLE_FORMAT, canonical, entryText, type Json } from './encoding.js';
import { type SettledCampaign, SettledRows } from './settled-rows.js';
import { SettlementReader } from './settlement-reader.js';
import {
  keysData,
  proofData,
  type ProofData,
  type PublishedKeys,
  settlementData,
  type SettlementData,
} from './settlements.dto.js';

/** Campaigns whose settlement an actor may read: its own, staff all, and a reseller those of its clients. */
@Injectable()
export class SettledFor {
  constructor(
    private readonly campaigns: CampaignReader,
    private readonly accounts: AccountDirectory,
  ) {}

  /** @throws AppError not_found `Campaign not found` */
  async campaign(actor: Actor, requestId: string, isClients: boolean): Promise<CampaignRecord> {
    const campaign = await this.campaigns.byRequestId(requestId);
    if (campaign && maySee(actor, campaign)) return campaign;
    const { account, via } = actor;
    const isReseller =
      isClients && account.userType === 'reseller' && account.permissions.client_management && via !== 'key';
    const owner = campaign && isReseller ? await this.accounts.byId(campaign.accountId) : null;
    if (!campaign || owner?.parentId !== account.id) throw campaignErrors.notFound();
    return campaign;
  }
}

/** The signed settlement of a campaign. @throws AppError `Campaign not found`, those of `settlementErrors` */
export class GetSettlementQuery extends Query<SettlementData> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}

@QueryHandler(GetSettlementQuery)
export class GetSettlementHandler implements IQueryHandler<GetSettlementQuery> {
  constructor(
    private readonly seen: SettledFor,
    private readonly reader: SettlementReader,
  ) {}

  async execute({ actor, requestId }: GetSettlementQuery): Promise<SettlementData> {
    const { id } = await this.seen.campaign(actor, requestId, true);
    const { settlement } = await this.reader.of(id);
    return settlementData(settlement, await this.reader.publicKeys());
  }
}

export interface SettlementBundle {
  requestId: string;
  lines: AsyncIterable<string>;
}

/** The settlement with all that it was signed over, as lines (reference/settlements#bundle). */
export class OpenBundleQuery extends Query<SettlementBundle> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}

@QueryHandler(OpenBundleQuery)
export class OpenBundleHandler implements IQueryHandler<OpenBundleQuery> {
  constructor(
    private readonly seen: SettledFor,
    private readonly reader: SettlementReader,
    private readonly rows: SettledRows,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  async execute({ actor, requestId }: OpenBundleQuery): Promise<SettlementBundle> {
    const { id } = await this.seen.campaign(actor, requestId, true);
    const { settlement, campaign } = await this.reader.of(id);
    const data = settlementData(settlement, await this.reader.publicKeys());
    return { requestId, lines: this.lines(campaign, data) };
  }

  private async *lines(campaign: SettledCampaign, data: SettlementData): AsyncGenerator<string, void, undefined> {
    const header = Object.assign({ bundle: BUNDLE_FORMAT }, data);
    yield `${canonical(header as unknown as Json)}\n`;
    for await (const entries of this.rows.entryPages(this.dataSource, campaign))
      for (const entry of entries) yield `${entryText(entry)}\n`;
    for await (const texts of this.reader.leaves(campaign)) yield `${texts.join('\n')}\n`;
  }
}

/** Proves one recipient of a campaign, for its owner. @throws AppError as `GetSettlementQuery`, `Contact not found` */
export class GetProofQuery extends Query<ProofData> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly seq: string,
  ) {
    super();
  }
}

@QueryHandler(GetProofQuery)
export class GetProofHandler implements IQueryHandler<GetProofQuery> {
  constructor(
    private readonly seen: SettledFor,
    private readonly reader: SettlementReader,
  ) {}

  async execute({ actor, requestId, seq: text }: GetProofQuery): Promise<ProofData> {
    const { id, totalRows } = await this.seen.campaign(actor, requestId, false);
    const seq = readId(text);
    if (seq === null || seq > totalRows) throw campaignErrors.contactNotFound();
    const { settlement, campaign } = await this.reader.of(id);
    const data = settlementData(settlement, await this.reader.publicKeys());
    return proofData(data, await this.reader.proof(campaign, seq));
  }
}

/** An account's settlements, newest first. */
export class ListSettlementsQuery extends Query<Listed<SettlementData>> {
  constructor(
    readonly accountId: number,
    readonly from: Date | null,
    readonly to: Date | null,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListSettlementsQuery)
export class ListSettlementsHandler implements IQueryHandler<ListSettlementsQuery> {
  constructor(private readonly reader: SettlementReader) {}

  async execute({ accountId, from, to, page }: ListSettlementsQuery): Promise<Listed<SettlementData>> {
    const listed = await this.reader.part(accountId, from, to, page);
    const keys = await this.reader.publicKeys();
    return shown(listed, (settlement) => settlementData(settlement, keys));
  }
}

/** The house's public keys; read once a minute, since callers are unknown. */
export class GetSettlementKeysQuery extends Query<PublishedKeys> {}

const KEPT_MS = 60_000;

@QueryHandler(GetSettlementKeysQuery)
export class GetSettlementKeysHandler implements IQueryHandler<GetSettlementKeysQuery> {
  private readonly known = new TtlCache<'keys', PublishedKeys>(KEPT_MS);

  constructor(private readonly reader: SettlementReader) {}

  async execute(): Promise<PublishedKeys> {
    return this.known.get('keys', async () => keysData(await this.reader.keys()));
  }
}
