import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { MOST_ROW_FAULTS } from '../../../kernel/errors.js';
import type { JsonObject } from '../../../kernel/json-values.js';
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
    const { submission, source, price, names } = await this.sends.open(account, request, inBody, 'peek');
    const quote = await this.submissions.quote(submission);
    const isMissing = quote.faults.filter(({ missing }) => missing);
    const others = quote.faults.filter(({ missing }) => !missing);
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
      invalid: [...(inBody?.faults ?? []), ...others.map(rowOf)].slice(0, MOST_ROW_FAULTS),
      refused: (inBody?.invalid ?? 0) + quote.refused,
      duplicates: inBody?.repeated ?? [],
      ...(inBody && { duplicates_count: inBody.duplicates }),
      warned: source?.warned ?? 0,
    };
    return { data, hints: source?.warnings ?? [] };
  }
}
