import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { MOST_ROW_FAULTS } from '../../../../kernel/app-error.js';
import type { JsonObject } from '../../../../kernel/objects.js';
import type { Account } from '../../../accounts/index.js';
import { CreditBook } from '../../../credits/index.js';
import { Submissions } from '../../../engine/index.js';
import { checkNumber } from '../../../numbers/index.js';
import { readBulkRequest } from '../bulk-request.js';
import { BulkSends } from '../bulk-sends.js';
import { rowOf } from '../bulk-source.js';
import type { BulkQuoteData } from '../http/bulk-quote.dto.js';

/**
 * Prices a personalised send, each recipient by its own text. Costs nothing, sends nothing, stores nothing; what the send
 * would refuse a recipient for is told and left out.
 * @throws AppError the rows of reference/bulk#errors that are not about single recipients
 */
export class QuoteBulkQuery extends Query<BulkQuoteData> {
  /** @param body as it came */
  constructor(
    readonly account: Account,
    readonly body: JsonObject,
  ) {
    super();
  }
}

@QueryHandler(QuoteBulkQuery)
export class QuoteBulkHandler implements IQueryHandler<QuoteBulkQuery> {
  constructor(
    private readonly sends: BulkSends,
    private readonly submissions: Submissions,
    private readonly credits: CreditBook,
  ) {}

  async execute({ account, body }: QuoteBulkQuery): Promise<BulkQuoteData> {
    const request = readBulkRequest(body);
    const inBody = await this.sends.inBody(request);
    const { submission, source, price, names } = await this.sends.open(account, request, inBody);
    const quote = await this.submissions.quote(submission);
    const isMissing = quote.faults.filter(({ missing }) => missing);
    const others = quote.faults.filter(({ missing }) => !missing);
    return {
      channel: request.channel,
      recipients: quote.recipients,
      total_credits: quote.credits,
      balance: price.balance,
      available: await this.credits.available(account.id, price.balance),
      segments_histogram: quote.histogram,
      preview: quote.preview.map(({ row, number, ...preview }) => {
        const { country, type } = checkNumber(number);
        return { row, to: number, country, type, ...preview };
      }),
      placeholders: [...names],
      missing: isMissing.map(({ row, to, missing = [] }) => ({ row, to, missing: [...missing] })),
      invalid: [...(inBody?.faults ?? []), ...others.map(rowOf)].slice(0, MOST_ROW_FAULTS),
      refused: (inBody?.invalid ?? 0) + quote.refused,
      duplicates: inBody?.repeated ?? [],
      warnings: source?.warnings ?? [],
      warned: source?.warned ?? 0,
    };
  }
}
