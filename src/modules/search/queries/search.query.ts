import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTimesOf } from '../../../kernel/clock.js';
import { digitsOf } from '../../../kernel/phone-number.js';
import type { Account } from '../../accounts/index.js';
import type { SearchResponse } from '../http/search.dto.js';
import { SearchLooks, type Wanted } from '../search-looks.js';

/** What is typed as a number: digits, and what people write between them. */
const NUMBER = /^\+?[\d\s().-]+$/;
const DIGITS = { min: 8, max: 30 };

/**
 * Whatever is called so: recipients of a number, campaigns, accounts, templates, session messages. Each look is a range of an
 * index, or bounded (docs/decisions/0027). @throws AppError too_many while too many searches for numbers run
 */
export class SearchQuery extends Query<Omit<SearchResponse, 'success'>> {
  /** @param scope `all`: of every account, for staff; `own`: the account's own, for a reseller its clients too */
  constructor(
    readonly searcher: Account,
    readonly scope: 'all' | 'own',
    readonly text: string,
  ) {
    super();
  }
}

@QueryHandler(SearchQuery)
export class SearchHandler implements IQueryHandler<SearchQuery> {
  constructor(private readonly looks: SearchLooks) {}

  async execute({ searcher, scope, text }: SearchQuery): Promise<Omit<SearchResponse, 'success'>> {
    const digits = NUMBER.test(text) ? digitsOf(text) : '';
    const wanted: Wanted = {
      searcher,
      text,
      number: digits.length >= DIGITS.min && digits.length <= DIGITS.max ? digits : null,
      ownerId: scope === 'own' ? searcher.id : null,
      shown: dateTimesOf(searcher.timeZone),
    };
    const [{ hits, since }, ...others] = await Promise.all([
      this.looks.recipientsOf(wanted),
      this.looks.campaignsOf(wanted),
      this.looks.accountsOf(wanted),
      this.looks.templatesOf(wanted),
      this.looks.sessionMessagesOf(wanted),
    ]);
    return { data: [...hits, ...others.flat()], recipients_since: since };
  }
}
