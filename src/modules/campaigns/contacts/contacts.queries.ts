import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTimesOf } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/errors.js';
import { type Listed, offsetOf, type Page } from '../../../kernel/lists.js';
import { readAhead } from '../../../platform/concurrency/index.js';
import { ReadDatabase } from '../../../platform/database/index.js';
import { AccountDirectory, type Actor } from '../../accounts/index.js';
import {
  type CampaignRecord,
  Channels,
  type RecipientRecord,
  RecipientStatus,
  StatusLabels,
} from '../../engine/index.js';
import { type CampaignReader, campaignShown } from '../campaign-reader.js';
import {
  contactData,
  type ContactData,
  type DetailedRecipient,
  type NumberFilter,
  type RecipientHitData,
} from './contacts.dto.js';
import { FailedRecipients } from '../retry/failed-recipients.store.js';
import { type FoundRecipient, type HitCursor, positionOfHit, RecipientSearch } from './recipient-search.store.js';
import { RecipientReader } from './recipients.store.js';

/** Formats recipients in their channel's labels and their owner's time zone. */
@Injectable()
export class RecipientViews {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
  ) {}

  /** Formats recipients, sorted by seq, with data of the reader that loaded them. */
  async of(
    contacts: RecipientReader,
    campaign: CampaignRecord,
    recipients: readonly RecipientRecord[],
  ): Promise<DetailedRecipient[]> {
    const channel = this.channels.get(campaign.channel);
    const seqs = recipients.map(({ seq }) => seq);
    const failed = recipients.filter(({ status }) => status === RecipientStatus.Failed).map(({ seq }) => seq);
    const [owner, providerIds, refusals, details, terms] = await Promise.all([
      this.accounts.byId(campaign.accountId),
      contacts.providerIds(campaign, seqs),
      contacts.refusals(campaign.id, failed),
      channel.details?.of(this.channels.services, campaign, recipients),
      campaign.ownTerms ? contacts.terms(campaign.id, seqs) : null,
    ]);
    const credits = (seq: number): number => terms?.get(seq)?.credits ?? campaign.unitCredits;
    const shown = dateTimesOf(owner?.timeZone ?? 'UTC');
    const extras = { providerIds, refusals, details, credits, isTest: campaign.isTest };
    return recipients.map((recipient) => contactData(channel, recipient, extras, shown));
  }
}

export interface RecipientExport {
  /** the request id; that of a test says so */
  fileName: string;
  details: readonly string[];
  isTest: boolean;
  batches: AsyncIterable<DetailedRecipient[]>;
}

/** Opens the export of a campaign's recipients, read in batches. @throws AppError not_found `Campaign not found` */
export class ExportRecipientsQuery extends Query<RecipientExport> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
  ) {
    super();
  }
}

@QueryHandler(ExportRecipientsQuery)
export class ExportRecipientsHandler implements IQueryHandler<ExportRecipientsQuery> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly channels: Channels,
    private readonly views: RecipientViews,
  ) {}

  async execute({ actor, requestId, status }: ExportRecipientsQuery): Promise<RecipientExport> {
    const session = await this.reads.session();
    const { campaign, reader } = await campaignShown(session, actor, requestId);
    const channel = this.channels.get(campaign.channel);
    const statuses = status === null ? undefined : new StatusLabels(channel).statusesOf(status);
    const batches = readAhead(reader.batches(campaign.id, statuses));
    const details = channel.details?.columns ?? [];
    return {
      fileName: campaign.isTest ? `${campaign.requestId}-test` : campaign.requestId,
      details,
      isTest: campaign.isTest,
      batches: this.shown(new RecipientReader(session), campaign, batches),
    };
  }

  private async *shown(
    contacts: RecipientReader,
    campaign: CampaignRecord,
    batches: AsyncIterable<RecipientRecord[]>,
  ): AsyncGenerator<DetailedRecipient[], void, undefined> {
    for await (const batch of batches) yield await this.views.of(contacts, campaign, batch);
  }
}

export interface RecipientHits extends Listed<RecipientHitData> {
  /** `to` of the search that continues this one; null = the whole range was searched */
  nextTo: Date | null;
}

/** Searches the account's campaigns of a time range for a number, newest first. @throws AppError too_many */
export class FindRecipientsQuery extends Query<RecipientHits> {
  constructor(
    readonly account: { id: number; timeZone: string; isTest: boolean },
    /** spellings of one number */
    readonly numbers: readonly string[],
    readonly from: Date,
    readonly to: Date,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(FindRecipientsQuery)
export class FindRecipientsHandler implements IQueryHandler<FindRecipientsQuery> {
  constructor(
    private readonly search: RecipientSearch,
    private readonly channels: Channels,
  ) {}

  async execute(query: FindRecipientsQuery): Promise<RecipientHits> {
    const { account, numbers, from, to, page } = query;
    const after = page.after === null ? null : readPosition(String(page.after));
    const { found, next, end } = await this.search.find(numbers, {
      ...{ accountId: account.id, isTest: account.isTest, from, to, after },
    });
    const shown = dateTimesOf(account.timeZone);
    const start = offsetOf(page);
    const hits = found.slice(start, start + page.limit);
    const last = hits.at(-1);
    const goesOn = last && found.length > start + page.limit ? positionOfHit(last) : end;
    return {
      items: hits.map((hit) => this.hit(hit, shown)),
      total: found.length,
      isCapped: end !== null,
      next: goesOn && `${goesOn.campaignId}.${goesOn.seq}`,
      nextTo: next,
    };
  }

  private hit(found: FoundRecipient, shown: (at: Date) => string): RecipientHitData {
    const { requestId, channel, broadcastName, isTest, createdAt, recipient } = found;
    return {
      request_id: requestId,
      channel,
      broadcast_name: broadcastName,
      seq: recipient.seq,
      receiver: recipient.number,
      ...new StatusLabels(this.channels.get(channel)).outcomeOf(recipient),
      attempts: recipient.attempts,
      ...(isTest && { test: true }),
      created_at: shown(createdAt),
      updated_at: shown(recipient.updatedAt),
    };
  }
}

/** Parses a cursor. @throws AppError invalid `cursor is invalid` */
function readPosition(text: string): HitCursor {
  const [, campaignId, seq] = /^(\d{1,16})\.(\d{1,10})$/.exec(text) ?? [];
  if (campaignId === undefined || seq === undefined) throw fieldErrors.invalid('cursor');
  return { campaignId: Number(campaignId), seq: Number(seq) };
}

/** Lists a campaign's recipients in the order of its contacts. @throws AppError not_found `Campaign not found` */
export class ListRecipientsQuery extends Query<Listed<ContactData>> {
  /** `status`: a channel's label, case-insensitive; null = all; an unknown label matches no recipient. */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
    readonly page: Page,
    /** null = every number */
    readonly number: NumberFilter | null = null,
  ) {
    super();
  }
}

@QueryHandler(ListRecipientsQuery)
export class ListRecipientsHandler implements IQueryHandler<ListRecipientsQuery> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly channels: Channels,
    private readonly views: RecipientViews,
    private readonly failures: FailedRecipients,
  ) {}

  async execute({ actor, requestId, status, page, number }: ListRecipientsQuery): Promise<Listed<ContactData>> {
    const session = await this.reads.session();
    const { campaign, reader } = await campaignShown(session, actor, requestId);
    const contacts = new RecipientReader(session);
    const statuses = status === null ? null : new StatusLabels(this.channels.get(campaign.channel)).statusesOf(status);
    const total = number === null ? await totalOf(reader, campaign, statuses) : campaign.totalRows;
    const { items, next } = await contacts.part(campaign, { statuses, number }, page, total);
    const shown = await this.withReasons(campaign, items, await this.views.of(contacts, campaign, items));
    if (number === null) return { items: shown, total, isCapped: false, next };
    return { items: shown, total: offsetOf(page) + items.length, isCapped: next !== null, next };
  }

  private async withReasons(
    campaign: CampaignRecord,
    recipients: readonly RecipientRecord[],
    shown: readonly DetailedRecipient[],
  ): Promise<DetailedRecipient[]> {
    const isFailed = ({ status }: RecipientRecord): boolean => status === RecipientStatus.Failed;
    if (!recipients.some(isFailed)) return [...shown];
    const wordsOf = await this.failures.words(campaign);
    return shown.map((row, at) => {
      const recipient = recipients[at];
      if (!recipient || !isFailed(recipient)) return row;
      const { cause, remedy } = wordsOf({
        ...{ errorCode: row.error_code, message: row.errorMessage },
        ...{ carrierCode: row.carrier_code ?? null, isRefused: row.refused === true },
      });
      return Object.assign(row, { reason_text: `${cause}. ${remedy}` });
    });
  }
}

async function totalOf(
  reader: CampaignReader,
  campaign: CampaignRecord,
  statuses: readonly RecipientStatus[] | null,
): Promise<number> {
  if (!statuses) return campaign.totalRows;
  const counts = await reader.counts(campaign.id);
  return statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
}
