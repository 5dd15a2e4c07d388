import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { MOST_ROW_FAULTS, type RowFault } from '../../../kernel/errors.js';
import type { JsonObject } from '../../../kernel/json-values.js';
import { csvLine } from '../../../kernel/text.js';
import { KeyedSemaphore } from '../../../platform/concurrency/index.js';
import { tooMany } from '../../../platform/security/index.js';
import type { Account } from '../../accounts/index.js';
import { CreditBook } from '../../credits/index.js';
import { Submissions } from '../../engine/index.js';
import { checkNumber } from '../../numbers/index.js';
import { type BulkRequest, readBulkRequest } from './bulk-request.js';
import { BulkSends, rowOf } from './bulk-sends.js';
import type { BulkQuote, BulkQuoteData } from './bulk.dto.js';

/** Prices a personalised send; stores nothing. @throws AppError rows of reference/bulk#errors about the request; too_many */
export class QuoteBulkQuery extends Query<BulkQuote> {
  constructor(
    readonly account: Account,
    readonly body: JsonObject,
  ) {
    super();
  }
}

const PATIENCE_SECONDS = 15;
/** Only a few quotes of uploads and lists run at once: a request of sixty bytes may price a million rows. */
const SHARES = { permits: 8, each: 2, waiting: 8, patienceMs: PATIENCE_SECONDS * 1_000 };

@QueryHandler(QuoteBulkQuery)
export class QuoteBulkHandler implements IQueryHandler<QuoteBulkQuery> {
  private readonly semaphore = new KeyedSemaphore<number>(SHARES, () => tooMany(PATIENCE_SECONDS));

  constructor(
    private readonly sends: BulkSends,
    private readonly submissions: Submissions,
    private readonly credits: CreditBook,
  ) {}

  async execute({ account, body }: QuoteBulkQuery): Promise<BulkQuote> {
    const request = readBulkRequest(body);
    const quote = (): Promise<BulkQuote> => this.quote(account, request);
    return 'entries' in request.recipients ? quote() : this.semaphore.run(account.id, quote);
  }

  private async quote(account: Account, request: BulkRequest): Promise<BulkQuote> {
    const inBody = await this.sends.inBody(account, request);
    const { submission, source, skipped, price, names } = await this.sends.open(account, request, inBody, 'peek');
    const quote = await this.submissions.quote(submission);
    const isMissing = quote.faults.filter(({ missing }) => missing);
    const others = quote.faults.filter(({ missing }) => !missing);
    const unread = inBody && !request.skipping.skipInvalid ? inBody : { faults: [], invalid: 0 };
    const data: BulkQuoteData = {
      channel: request.channel,
      recipients: quote.recipients,
      credits: quote.credits,
      total_credits: quote.credits,
      balance: price.balance,
      available: await this.credits.available(account.id, price.balance),
      segments_histogram: quote.histogram,
      preview: quote.preview.map(({ row, number, ...preview }) => {
        const { country, type } = checkNumber(number);
        return { row, to: number, country, type, ...preview };
      }),
      placeholders: [...names],
      missing: isMissing.map(rowOf),
      invalid: [...unread.faults, ...others.map(rowOf)].slice(0, MOST_ROW_FAULTS),
      refused: unread.invalid + quote.refused,
      ...(skipped && { skipped: skipped.rows, skipped_count: skipped.count }),
      duplicates: inBody?.repeated ?? [],
      ...(inBody && { duplicates_count: inBody.duplicates }),
      warned: source?.warned ?? 0,
    };
    return { data, hints: source?.warnings ?? [] };
  }
}

/** Rows that a send leaves out, as lines of CSV; stores nothing. @throws AppError rows of reference/bulk#errors; too_many */
export class SkippedRowsOfSendQuery extends Query<AsyncIterable<string>> {
  constructor(
    readonly account: Account,
    readonly body: JsonObject,
  ) {
    super();
  }
}

@QueryHandler(SkippedRowsOfSendQuery)
export class SkippedRowsOfSendHandler implements IQueryHandler<SkippedRowsOfSendQuery> {
  private readonly semaphore = new KeyedSemaphore<number>(SHARES, () => tooMany(PATIENCE_SECONDS));

  constructor(private readonly sends: BulkSends) {}

  async execute({ account, body }: SkippedRowsOfSendQuery): Promise<AsyncIterable<string>> {
    const request = readBulkRequest(body);
    const release = await this.permit(account.id);
    try {
      const skips = await this.sends.skips(account, request);
      return linesOf(await skips.next(), skips, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns what gives the permit back */
  private permit(accountId: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.semaphore.run(accountId, () => new Promise<void>((release) => resolve(release))).catch(reject);
    });
  }
}

type Faults = readonly RowFault[];

/** The first part is read before the answer begins, so that its faults can be answered. */
async function* linesOf(
  first: IteratorResult<Faults, void>,
  others: AsyncGenerator<Faults, void, undefined>,
  release: () => void,
): AsyncGenerator<string, void, undefined> {
  try {
    if (first.done === true) return;
    yield linesOfPart(first.value);
    for await (const part of others) yield linesOfPart(part);
  } finally {
    await others.return();
    release();
  }
}

const linesOfPart = (part: Faults): string =>
  part.map(({ row, value, reason, message }) => csvLine([row, value, reason, message])).join('');
