import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/errors.js';
import { type NumberReading, refusedNumber } from '../../../kernel/phone-numbers.js';
import { readText, textOrNull } from '../../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  NoHead,
  paged,
  type Paged,
  readListPage,
  streamText,
} from '../../../platform/http/index.js';
import { tooMany } from '../../../platform/security/index.js';
import {
  AccessTokens,
  type Actor,
  Authenticated,
  CurrentActor,
  Needs,
  SENDS,
  TestKeys,
  TestQuery,
  wantsTests,
} from '../../accounts/index.js';
import { type NumberHome, readerOf, spellingsToFind } from '../../numbers/index.js';
import { RANGE_ERRORS, readRangeEnd } from '../campaign-filter.js';
import { type CampaignData, REQUEST_ID } from '../campaigns.dto.js';
import { campaignErrors } from '../campaigns.errors.js';
import { type Follow, WatchCampaignQuery } from '../campaigns.queries.js';
import { CSV_EXAMPLE, csvFrame, csvLines } from './contacts-csv.js';
import {
  type ContactData,
  ContactPageResponse,
  MOST_NUMBERS,
  type NumberFilter,
  NumbersToReadBody,
  type ReadNumberData,
  ReadNumbersAnswer,
  RecipientHitsResponse,
  TimelineResponse,
} from './contacts.dto.js';
import { ExportRecipientsQuery, FindRecipientsQuery, ListRecipientsQuery } from './contacts.queries.js';
import { GetTimelineQuery } from './timeline.queries.js';

/** Unsent bytes above which a reader counts as stalled; a view is a few hundred bytes. */
const MOST_UNSENT = 256 * 1024;
const RECONNECT_MS = 3_000;

/**
 * Streams server-sent events: `progress` at once and per change, comments while idle, `end` last. A client reconnects after a
 * stream without `end`. Errors of `follow` are thrown before the first byte.
 */
function streamProgress(response: Response, follow: Follow): void {
  const write = (text: string): void => {
    if (response.writableLength > MOST_UNSENT) response.destroy();
    else if (!response.destroyed) response.write(text);
  };
  // A cached view, or the end of a stopping instance, can arrive inside `follow`, before the headers are written.
  const early: string[] = [];
  const state = { begun: false, ended: false };
  const send = (text: string): void => {
    if (state.begun) write(text);
    else early.push(text);
  };
  const stop = follow({
    changed: (view: CampaignData) => send(`event: progress\ndata: ${JSON.stringify(view)}\n\n`),
    quiet: () => send(': nothing new\n\n'),
    ended: (over) => {
      if (over) send('event: end\ndata: {}\n\n');
      state.ended = true;
      if (state.begun) response.end();
    },
  });
  response.on('close', stop);
  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // Stops proxies from buffering the stream.
    'X-Accel-Buffering': 'no',
  });
  state.begun = true;
  write(`retry: ${RECONNECT_MS}\n\n${early.join('')}`);
  if (state.ended) response.end();
}

const EVENTS_EXAMPLE = `retry: 3000

event: progress
data: {"request_id":"${REQUEST_ID}","state":"running","total_rows":2,"status_counts":{"PP1":1,"SENT":1}, …}

event: end
data: {}
`;

const CONTACTS = { name: 'contacts', positions: 'ids' } as const;

const StatusQuery = ApiQuery({
  name: 'status',
  required: false,
  example: 'FAILED',
  description: 'only recipients of this status, as the channel spells it',
});

@ApiTags('Campaigns')
@ApiParam({ name: 'request_id', example: REQUEST_ID })
@Authenticated()
@TestKeys()
@Controller('v6/api/campaigns/:request_id')
export class ContactsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly tokens: AccessTokens,
  ) {}

  @Get('contacts')
  @ApiOperation({ summary: 'The recipients, in the order of the contacts' })
  @StatusQuery
  @ApiQuery({
    name: 'number',
    required: false,
    example: '4567',
    description: 'a number in any spelling that the strict reader takes, or the last 4 to 7 digits of numbers',
  })
  @ListQuery()
  @ApiOkResponse({ type: ContactPageResponse })
  @ApiErrors(
    ...LIST_ERRORS,
    fieldErrors.invalid.shown('number').because('no number, and not 4 to 7 digits; `hint` says why'),
    campaignErrors.notFound,
  )
  async contacts(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Query() query: Record<string, unknown>,
  ): Promise<Paged<ContactData>> {
    const page = readListPage(CONTACTS, query);
    const number = readNumberFilter(query['number'], actor.account);
    const list = new ListRecipientsQuery(actor, requestId, textOrNull(query['status']), page, number);
    return paged(CONTACTS, page, await this.queries.execute(list));
  }

  @Get('contacts/:seq/timeline')
  @ApiParam({ name: 'seq', type: Number, example: 1 })
  @ApiOperation({
    summary: 'What became of one recipient, and when',
    description: 'Made of what is stored: of several receipts with the same status, the first counts.',
  })
  @ApiOkResponse({ type: TimelineResponse })
  @ApiErrors(campaignErrors.notFound, campaignErrors.contactNotFound)
  async timeline(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Param('seq') seq: string,
  ): Promise<TimelineResponse> {
    return { success: true, data: await this.queries.execute(new GetTimelineQuery(actor, requestId, seq)) };
  }

  @Get('export.csv')
  @ApiOperation({
    summary: 'The recipients as a CSV file',
    description:
      'RFC 4180 with a header line, in the order of the contacts, streamed. A field that a spreadsheet would take for a formula begins with an apostrophe.',
  })
  @StatusQuery
  @ApiProduces('text/csv')
  @ApiOkResponse({
    description: 'The file.',
    content: { 'text/csv': { schema: { type: 'string' }, example: CSV_EXAMPLE } },
  })
  @ApiErrors(campaignErrors.notFound)
  async exportCsv(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const contacts = await this.queries.execute(
      new ExportRecipientsQuery(actor, requestId, textOrNull(query['status'])),
    );
    await streamText(response, csvFrame(contacts), csvLines(contacts));
  }

  @Get('events')
  @NoHead()
  @ApiOperation({
    summary: 'Progress as server-sent events',
    description:
      'The campaign as it stands at once (`progress`, the data of GET …/:request_id), again after every change, a comment every 15 seconds while nothing changes, `end` when it is over. A stream that closes without `end` (this instance stops, the token has expired) is to be opened again. Any instance serves any campaign.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'The stream.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENTS_EXAMPLE } },
  })
  @ApiErrors(campaignErrors.notFound, tooMany.because('more than 10 streams of one account'))
  async events(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const bearer = () => this.tokens.bearerOf(request);
    streamProgress(response, await this.queries.execute(new WatchCampaignQuery(actor, requestId, bearer)));
  }
}

const HITS = { name: 'hits', positions: 'texts' } as const;
const DEFAULT_RANGE_MS = 30 * 24 * 3_600_000;

@ApiTags('Campaigns')
@Authenticated()
@TestKeys()
@Controller('v6/api/recipients')
export class RecipientsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Find a number among the recipients of your campaigns',
    description:
      'Of the last 30 days unless a time is given. One search looks at 2,000,000 recipients at the most, newest campaigns first; `next_to` says where it stopped. One search of an account at a time.',
  })
  @ApiQuery({ name: 'number', example: '919812345678', description: 'in any spelling that the strict reader takes' })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30' })
  @TestQuery()
  @ListQuery()
  @ApiOkResponse({ type: RecipientHitsResponse })
  @ApiErrors(
    fieldErrors.required.shown('number').because('missing or empty'),
    fieldErrors.invalid
      .shown('number')
      .because('what the strict reader refuses, except 8 to 30 plain digits; `hint` says why'),
    ...RANGE_ERRORS,
    ...LIST_ERRORS,
  )
  async find(
    @CurrentActor() { account }: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<RecipientHitsResponse> {
    const numbers = readNumbers(query['number'], account);
    const given = readRangeEnd(query, 'from', account.timeZone);
    const to = readRangeEnd(query, 'to', account.timeZone) ?? now();
    const from = given ?? new Date(Math.max(0, to.getTime() - DEFAULT_RANGE_MS));
    const page = readListPage(HITS, query);
    const of = { id: account.id, timeZone: account.timeZone, isTest: wantsTests(query, account) };
    const found = await this.queries.execute(new FindRecipientsQuery(of, numbers, from, to, page));
    return { ...paged(HITS, page, found), next_to: found.nextTo?.toISOString() ?? null };
  }
}

/** @returns null when there is none. @throws AppError invalid */
function readNumberFilter(value: unknown, home: NumberHome): NumberFilter | null {
  const given = textOrNull(value)?.trim() ?? '';
  if (given === '') return null;
  return /^\d{4,7}$/.test(given) ? { ending: given } : { numbers: readNumbers(given, home) };
}

/** Spellings of the number of a query. @throws AppError invalid, when it is missing too */
export function readNumbers(value: unknown, home: NumberHome): string[] {
  const read = readText(value);
  if (read.kind === 'empty') throw fieldErrors.required('number');
  if (read.kind !== 'text') throw fieldErrors.invalid('number');
  const wanted = spellingsToFind(read.value, home);
  if ('refused' in wanted) throw fieldErrors.invalid('number').helping({ hint: refusedNumber(wanted.refused).message });
  return wanted.numbers;
}

const numbersErrors = {
  list: fieldErrors.emptyArray.shown('numbers'),
  tooMany: fieldErrors.tooMany.shown('numbers', MOST_NUMBERS),
};

const shown = (reading: NumberReading): ReadNumberData =>
  'digits' in reading
    ? { number: reading.digits, message: null }
    : { number: null, message: refusedNumber(reading.refused).message };

/** How the account's numbers are read (reference/numbers#reading). */
@ApiTags('Recipients')
@Authenticated()
@TestKeys()
@Controller('v6/api/numbers')
export class NumbersController {
  @Post('read')
  @Needs('read', ...SENDS)
  @HttpCode(200)
  @ApiOperation({
    summary: 'How are these numbers read?',
    description: 'Each as the own endpoints read it, by the country of the account, in their order. Sends nothing.',
  })
  @ApiBody({ type: NumbersToReadBody })
  @ApiOkResponse({ type: ReadNumbersAnswer })
  @ApiErrors(numbersErrors.list, numbersErrors.tooMany)
  read(@Body() { numbers }: { numbers?: unknown }, @CurrentActor() { account }: Actor): ReadNumbersAnswer {
    if (!Array.isArray(numbers) || numbers.length === 0) throw fieldErrors.emptyArray('numbers');
    if (numbers.length > MOST_NUMBERS) throw fieldErrors.tooMany('numbers', MOST_NUMBERS);
    const read = readerOf(account);
    return { success: true, data: (numbers as unknown[]).map((number) => shown(read(number))) };
  }
}
