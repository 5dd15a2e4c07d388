import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { digitsOf } from '../../../kernel/phone-number.js';
import { readText } from '../../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { FindRecipientsQuery } from '../queries/find-recipients.query.js';
import { RANGE_ERRORS, readRangeEnd } from './campaign-filter.js';
import { RecipientHitsResponse } from './contact.dto.js';

const DIGITS = { min: 8, max: 30 };
const HITS = { name: 'hits', places: 'texts' } as const;
const DEFAULT_RANGE_MS = 30 * 24 * 3_600_000;

/** Did this number get it? */
@ApiTags('Campaigns')
@Authenticated()
@Controller('v6/api/recipients')
export class RecipientsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Find a number among the recipients of your campaigns',
    description:
      'Of the last 30 days unless a time is given. One search looks at 2,000,000 recipients at the most, newest campaigns first; `next_to` says where it stopped. One search of an account at a time.',
  })
  @ApiQuery({ name: 'number', example: '919812345678', description: 'everything but digits is removed' })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30' })
  @ListQuery()
  @ApiOkResponse({ type: RecipientHitsResponse })
  @ApiErrors(
    fieldErrors.required.shown('number').because('missing or empty'),
    fieldErrors.invalid.shown('number').because('not 8 to 30 digits after the cleanup'),
    ...RANGE_ERRORS,
    ...LIST_ERRORS,
  )
  async find(
    @CurrentActor() { account }: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<RecipientHitsResponse> {
    const number = readNumber(query['number']);
    const given = readRangeEnd(query, 'from', account.timeZone);
    const to = readRangeEnd(query, 'to', account.timeZone) ?? now();
    const from = given ?? new Date(Math.max(0, to.getTime() - DEFAULT_RANGE_MS));
    const page = readListPage(HITS, query);
    const found = await this.queries.execute(new FindRecipientsQuery(account, number, from, to, page));
    return { ...paged(HITS, page, found), next_to: found.nextTo?.toISOString() ?? null };
  }
}

function readNumber(value: unknown): string {
  const read = readText(value);
  if (read.kind === 'empty') throw fieldErrors.required('number');
  const digits = read.kind === 'text' ? digitsOf(read.value) : '';
  if (digits.length < DIGITS.min || digits.length > DIGITS.max) throw fieldErrors.invalid('number');
  return digits;
}
