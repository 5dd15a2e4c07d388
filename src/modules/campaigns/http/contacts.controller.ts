import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { textOrNull } from '../../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  NoHead,
  type Paged,
  paged,
  readListPage,
  streamText,
} from '../../../platform/http/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { AccessTokens, type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import { ExportRecipientsQuery } from '../queries/export-recipients.query.js';
import { GetTimelineQuery } from '../queries/get-timeline.query.js';
import { ListRecipientsQuery } from '../queries/list-recipients.query.js';
import { WatchCampaignQuery } from '../queries/watch-campaign.query.js';
import { REQUEST_ID } from './campaign.dto.js';
import { type ContactData, ContactPageResponse, TimelineResponse } from './contact.dto.js';
import { CSV_EXAMPLE, csvFrame, csvLines } from './contacts-csv.js';
import { streamProgress } from './event-stream.js';

const EVENTS_EXAMPLE = `retry: 3000

event: progress
data: {"request_id":"${REQUEST_ID}","state":"running","total_rows":2,"status_counts":{"PP1":1,"SENT":1}, …}

event: end
data: {}
`;

const CONTACTS = { name: 'contacts', places: 'ids' } as const;

const StatusQuery = ApiQuery({
  name: 'status',
  required: false,
  example: 'FAILED',
  description: 'only recipients of this status, as the channel spells it',
});

/** A campaign's recipients: in pages, one by one, as a file, and as they go on. */
@ApiTags('Campaigns')
@ApiParam({ name: 'request_id', example: REQUEST_ID })
@Authenticated()
@Controller('v6/api/campaigns/:request_id')
export class ContactsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly tokens: AccessTokens,
  ) {}

  @Get('contacts')
  @ApiOperation({ summary: 'The recipients, in the order of the contacts' })
  @StatusQuery
  @ListQuery()
  @ApiOkResponse({ type: ContactPageResponse })
  @ApiErrors(...LIST_ERRORS, campaignErrors.notFound)
  async contacts(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Query() query: Record<string, unknown>,
  ): Promise<Paged<ContactData>> {
    const page = readListPage(CONTACTS, query);
    const list = new ListRecipientsQuery(actor, requestId, textOrNull(query['status']), page);
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
